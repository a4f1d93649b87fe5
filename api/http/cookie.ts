import type { Request } from 'express'

/** Name of the cookie that holds a session. */
export const sessionCookie = 'takt_session'

/** The session's value that came with a request. */
export function sessionCookieOf({ headers }: Request): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.find(pair => pair.startsWith(`${sessionCookie}=`))?.slice(sessionCookie.length + 1)
}

/** The header that gives the browser its session: out of reach of scripts and of other sites. */
export function setSessionCookie(value: string, lifetimeMs: number, baseUrl: string): string {
  const rest = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(baseUrl.startsWith('https:') ? ['Secure'] : [])]
  return [`${sessionCookie}=${value}`, `Max-Age=${Math.floor(lifetimeMs / 1000)}`, ...rest].join('; ')
}

/** The header that takes it back. */
export function clearSessionCookie(baseUrl: string): string {
  return setSessionCookie('', 0, baseUrl)
}
