import type { Records } from '../../processors/records/records.ts'
import type { CompanyRecord, KeyRecord } from '../../schema/records.ts'
import { hashKey, isPlausibleKey } from './key.ts'
import { verifyUserToken } from './user-token.ts'

/** Who asks, and for which company. With a user token, the key's scopes are those that the token has too. */
export interface Caller {
  readonly key: KeyRecord
  readonly company: CompanyRecord
}

/** No valid key or token came with the request: 401. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken'
}

/** Where keys and companies are looked up. */
export type KeyRecords = Pick<Records, 'keyByHash' | 'company' | 'get'>

/** The caller of an `Authorization` header. Throws an `InvalidToken`. */
export function authenticate(header: string | undefined, records: KeyRecords): Caller {
  const text = /^bearer +(.*\S)/i.exec(header ?? '')?.[1]
  if (text === undefined) throw new InvalidToken('An access token is required')
  // Node reads headers as Latin-1; a key with other characters was sent as UTF-8.
  return authenticateToken(Buffer.from(text, 'latin1').toString(), records)
}

/** The caller that a key or a user token (see `user-token.ts`) stands for. Throws an `InvalidToken`. */
export function authenticateToken(token: string, records: KeyRecords, nowMs: number = Date.now()): Caller {
  const key = isPlausibleKey(token) ? records.keyByHash(hashKey(token)) : null
  const company = key && records.company(key.companyId)
  return key && company ? { key, company } : authenticateUserToken(token, records, nowMs)
}

/** The same where only a user token will do: in a URL, which others may come to see, a key has no place. */
export function authenticateUserToken(token: string, records: KeyRecords, nowMs: number = Date.now()): Caller {
  const caller = verifyUserToken(token, records, nowMs)
  if (caller === null) throw new InvalidToken('The access token is invalid')
  return caller
}
