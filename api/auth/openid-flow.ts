import { createHash } from 'node:crypto'
import * as client from 'openid-client'
import { InvalidToken } from './authenticate.ts'

/** Values that only this browser has until it comes back. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Why a browser goes to the provider: to sign in (null), or to link the user of the session with this id. */
export type LinkingSession = string | null

export function newFlow(): Flow {
  return { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
}

/** The value of the flow's cookie. */
export function flowText({ state, nonce, verifier }: Flow, session: LinkingSession): string {
  return [state, nonce, verifier, purposeOf(session)].join('.')
}

/**
 * The flow of a cookie's value that was begun for this, and that the query with which the browser comes back is of. Throws an
 * `InvalidToken` where there is none.
 */
export function readFlow(text: string, query: string, session: LinkingSession): Flow {
  const [state = '', nonce = '', verifier = '', purpose, ...others] = text.split('.')
  const states = new URLSearchParams(query).getAll('state')
  if (![state, nonce, verifier].every(isRandomText) || others.length > 0) throw notBegun()
  if (purpose !== purposeOf(session) || states.length !== 1 || states[0] !== state) throw notBegun()
  return { state, nonce, verifier }
}

/** 32 random bytes as base64url, as `newFlow` makes them. */
function isRandomText(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

function purposeOf(session: LinkingSession): string {
  return session === null ? 'sign-in' : createHash('sha256').update(session).digest('base64url')
}

function notBegun(): InvalidToken {
  return new InvalidToken('This sign-in was not begun in this browser, or more than ten minutes ago')
}
