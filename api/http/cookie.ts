import type { Request } from 'express'
import { baseUrlOf } from './base-url.ts'

/** Name of the cookie that holds a session; with `__Host-` before it where the service is reached over https. */
export const sessionCookie = 'takt_session'

/** The session's value that came with a request. */
export function sessionCookieOf(request: Request): string | undefined {
  return cookiesIn(request, nameAt(sessionCookie, baseUrlOf(request)))[0]
}

/** The value of a cookie that came with a request once: a second one may be of another host of the same site. */
export function onlyCookieIn(request: Request, name: string): string | undefined {
  const values = cookiesIn(request, name)
  return values.length === 1 ? values[0] : undefined
}

function cookiesIn({ headers }: Request, name: string): readonly string[] {
  const pairs = (headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.filter(pair => pair.startsWith(`${name}=`)).map(pair => pair.slice(name.length + 1))
}

/** A browser takes a cookie with this prefix from the host itself alone, and over https alone. */
function nameAt(name: string, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${name}` : name
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}

/** The header that gives the browser its session: out of reach of scripts and of other sites. */
export function setSessionCookie(value: string, lifetimeMs: number, baseUrl: string): string {
  return cookieOf(sessionCookie, value, lifetimeMs, baseUrl)
}

function cookieOf(name: string, value: string, lifetimeMs: number, baseUrl: string): string {
  const rest = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(isSecure(baseUrl) ? ['Secure'] : [])]
  return [`${nameAt(name, baseUrl)}=${value}`, `Max-Age=${Math.floor(lifetimeMs / 1000)}`, ...rest].join('; ')
}

const flowCookie = 'takt_sign_on'

/** Name of the cookie that a browser keeps while it is at the provider of identities. */
export function flowCookieAt(baseUrl: string): string {
  return nameAt(flowCookie, baseUrl)
}

const browserCookie = 'takt_browser'
const browserLifetimeMs = 365 * 86_400_000

/** Name of the cookie by which a browser is known in which users have signed in. */
export function browserCookieAt(baseUrl: string): string {
  return nameAt(browserCookie, baseUrl)
}

/** The header that makes the browser known. */
export function setBrowserCookie(value: string, baseUrl: string): string {
  return cookieOf(browserCookie, value, browserLifetimeMs, baseUrl)
}

const flowLifetimeMs = 600_000

/** The header that lets the browser come back from the provider: only its own page sends it. */
export function setFlowCookie(value: string, baseUrl: string): string {
  return cookieOf(flowCookie, value, flowLifetimeMs, baseUrl)
}

/** The header that takes it back. */
export function clearFlowCookie(baseUrl: string): string {
  return cookieOf(flowCookie, '', 0, baseUrl)
}

/** The header that takes the session back. */
export function clearSessionCookie(baseUrl: string): string {
  return setSessionCookie('', 0, baseUrl)
}
