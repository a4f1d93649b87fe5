import type { Request } from 'express'
import { dayMs, minuteMs } from '../../shared/time/units.ts'
import { baseUrlOf } from './forwarded.ts'

export const sessionCookie = 'takt_session'

/** The cookies: a session, a browser's visit to the identity provider, and a browser in which users have signed in. */
const names = { session: sessionCookie, flow: 'takt_sign_on', browser: 'takt_browser' } as const
const lifetimesMs = { session: 0, flow: 10 * minuteMs, browser: 365 * dayMs } as const
type CookieKind = keyof typeof names

/** Name of a cookie. Browsers accept one with the prefix `__Host-` only from the host itself and over https. */
export function cookieNameAt(kind: CookieKind, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${names[kind]}` : names[kind]
}

/** The session cookie of a request. */
export function findSessionCookie(request: Request): string | undefined {
  return cookiesIn(request, cookieNameAt('session', baseUrlOf(request)))[0]
}

/** The value of a cookie that occurs once in the request; a second one may come from another host of the same site. */
export function findOnlyCookie(request: Request, name: string): string | undefined {
  const values = cookiesIn(request, name)
  return values.length === 1 ? values[0] : undefined
}

function cookiesIn({ headers }: Request, name: string): readonly string[] {
  const pairs = (headers.cookie ?? '').split(';').map(pair => pair.trim())
  return pairs.filter(pair => pair.startsWith(`${name}=`)).map(pair => pair.slice(name.length + 1))
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}

/** `Set-Cookie` header of a cookie that scripts cannot read and other sites cannot send. */
export function cookieHeader(
  kind: CookieKind,
  value: string,
  baseUrl: string,
  lifetimeMs: number = lifetimesMs[kind],
): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(isSecure(baseUrl) ? ['Secure'] : [])]
  return [`${cookieNameAt(kind, baseUrl)}=${value}`, `Max-Age=${Math.floor(lifetimeMs / 1000)}`, ...attributes].join(
    '; ',
  )
}
