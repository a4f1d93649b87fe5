import { createHash } from 'node:crypto'
import * as client from 'openid-client'
import { InvalidToken } from './authenticate.ts'

/** Secrets of one sign-in, known only to this browser until it returns. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Purpose of the visit to the provider: to sign in (null), or to link the user of the session with this id. */
export type LinkingSession = string | null

export function newFlow(): Flow {
  return { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
}

/** The value of the flow's cookie. */
export function flowText({ state, nonce, verifier }: Flow, session: LinkingSession): string {
  return [state, nonce, verifier, purposeOf(session)].join('.')
}

/**
 * The flow in a cookie's value, if it has this purpose and matches the query of the browser's return. Throws an
 * `InvalidToken` otherwise.
 */
export function readFlow(text: string, query: string, session: LinkingSession): Flow {
  const [state = '', nonce = '', verifier = '', purpose, ...others] = text.split('.')
  const states = new URLSearchParams(query).getAll('state')
  if (![state, nonce, verifier].every(isRandomText) || others.length > 0) throw notBegun()
  if (purpose !== purposeOf(session) || states.length !== 1 || states[0] !== state) throw notBegun()
  return { state, nonce, verifier }
}

/** Whether a text is 32 random bytes as base64url. */
function isRandomText(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

function purposeOf(session: LinkingSession): string {
  return session === null ? 'sign-in' : createHash('sha256').update(session).digest('base64url')
}

function notBegun(): InvalidToken {
  return new InvalidToken('This sign-in was started in another browser or more than ten minutes ago. Start it again.')
}
