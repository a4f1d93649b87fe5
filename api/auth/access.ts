import type { Records } from '../../processors/records/records.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'

/**
 * Where keys, users and sessions are looked up: as they are when the call is made, whichever process changed them last. Rejects with
 * an `ApiError` 503 where that can't be told.
 */
export interface Access {
  keyByHash(hash: string): Promise<KeyRecord | null>
  key(id: string): Promise<KeyRecord | null>
  user(id: string): Promise<UserRecord | null>
  /** Users of all companies who have the address, in any letter case; in any order. */
  usersByEmail(email: string): Promise<readonly UserRecord[]>
  session(id: string): Promise<SessionRecord | null>
  /** Another process may have made it just now. */
  company(id: string): Promise<CompanyRecord | null>
  /** The company's record with a secret for its user tokens, if it has one anywhere. */
  companyWithSecret(id: string): Promise<CompanyRecord | null>
}

/** Where this process alone has the log: its records hold every change before that is answered. */
export function accessByRecords(records: Records): Access {
  return {
    keyByHash: async hash => records.keyByHash(hash),
    key: async id => records.keyById(id),
    user: async id => records.userById(id),
    usersByEmail: async email => records.usersByEmail(email),
    session: async id => records.sessionById(id),
    company: async id => records.company(id),
    companyWithSecret: async id => records.company(id),
  }
}
