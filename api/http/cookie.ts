import type { Request } from 'express'

/** Name of the cookie that holds a session. */
export const sessionCookie = 'takt_session'

/** The session's value that came with a request. */
export function sessionCookieOf(request: Request): string | undefined {
  return cookieIn(request, sessionCookie)
}

/** The value of a cookie that came with a request. */
export function cookieIn({ headers }: Request, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** The header that gives the browser its session: out of reach of scripts and of other sites. */
export function setSessionCookie(value: string, lifetimeMs: number, baseUrl: string): string {
  return cookieOf(sessionCookie, value, lifetimeMs, baseUrl)
}

function cookieOf(name: string, value: string, lifetimeMs: number, baseUrl: string): string {
  const rest = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(baseUrl.startsWith('https:') ? ['Secure'] : [])]
  return [`${name}=${value}`, `Max-Age=${Math.floor(lifetimeMs / 1000)}`, ...rest].join('; ')
}

/** Name of the cookie that a browser keeps while it is at the provider of identities. */
export const flowCookie = 'takt_sign_on'
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
