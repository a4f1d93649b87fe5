import type { Request } from 'express'
import { baseUrlOf } from './base-url.ts'

/** Name of the session cookie, with the prefix `__Host-` over https. */
export const sessionCookie = 'takt_session'

/** The session cookie of a request. */
export function sessionCookieOf(request: Request): string | undefined {
  return cookiesIn(request, nameAt(sessionCookie, baseUrlOf(request)))[0]
}

/** The value of a cookie that occurs once in the request; a second one may come from another host of the same site. */
export function onlyCookieIn(request: Request, name: string): string | undefined {
  const values = cookiesIn(request, name)
  return values.length === 1 ? values[0] : undefined
}

function cookiesIn({ headers }: Request, name: string): readonly string[] {
  const pairs = (headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.filter(pair => pair.startsWith(`${name}=`)).map(pair => pair.slice(name.length + 1))
}

/** Browsers accept a cookie with this prefix only from the host itself and over https. */
function nameAt(name: string, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${name}` : name
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}

/** `Set-Cookie` header of the session, inaccessible to scripts and other sites. */
export function setSessionCookie(value: string, lifetimeMs: number, baseUrl: string): string {
  return cookieOf(sessionCookie, value, lifetimeMs, baseUrl)
}

function cookieOf(name: string, value: string, lifetimeMs: number, baseUrl: string): string {
  const rest = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(isSecure(baseUrl) ? ['Secure'] : [])]
  return [`${nameAt(name, baseUrl)}=${value}`, `Max-Age=${Math.floor(lifetimeMs / 1000)}`, ...rest].join('; ')
}

const flowCookie = 'takt_sign_on'

/** Name of the cookie that a browser keeps while it visits the identity provider. */
export function flowCookieAt(baseUrl: string): string {
  return nameAt(flowCookie, baseUrl)
}

const browserCookie = 'takt_browser'
const browserLifetimeMs = 365 * 86_400_000

/** Name of the cookie that identifies browsers in which users have signed in. */
export function browserCookieAt(baseUrl: string): string {
  return nameAt(browserCookie, baseUrl)
}

/** `Set-Cookie` header that identifies the browser. */
export function setBrowserCookie(value: string, baseUrl: string): string {
  return cookieOf(browserCookie, value, browserLifetimeMs, baseUrl)
}

const flowLifetimeMs = 600_000

/** `Set-Cookie` header for the visit to the provider; the browser sends the cookie only from a page of this service. */
export function setFlowCookie(value: string, baseUrl: string): string {
  return cookieOf(flowCookie, value, flowLifetimeMs, baseUrl)
}

/** `Set-Cookie` header that deletes that cookie. */
export function clearFlowCookie(baseUrl: string): string {
  return cookieOf(flowCookie, '', 0, baseUrl)
}

/** `Set-Cookie` header that deletes the session. */
export function clearSessionCookie(baseUrl: string): string {
  return setSessionCookie('', 0, baseUrl)
}
