import type { Records } from '../../processors/records/records.ts'
import type { CompanyRecord, KeyRecord } from '../../schema/records.ts'
import { hashKey, isPlausibleKey } from './key.ts'

/** Who asks, and for which company. */
export interface Caller {
  readonly key: KeyRecord
  readonly company: CompanyRecord
}

/** No valid key came with the request: 401. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken'
}

/** The caller of an `Authorization` header. Throws an `InvalidToken`. */
export function authenticate(header: string | undefined, records: Pick<Records, 'keyByHash' | 'company'>): Caller {
  const text = /^bearer +(.*\S)/i.exec(header ?? '')?.[1]
  if (text === undefined) throw new InvalidToken('An access token is required')
  // Node reads headers as Latin-1; a key with other characters was sent as UTF-8.
  const token = Buffer.from(text, 'latin1').toString()
  const key = isPlausibleKey(token) ? records.keyByHash(hashKey(token)) : null
  const company = key && records.company(key.companyId)
  if (key === null || company === null) throw new InvalidToken('The access token is invalid')
  return { key, company }
}
