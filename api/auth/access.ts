import type { Records } from '../../processors/records/records.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'

/**
 * Looks up keys, users and sessions as they are at the time of the call, including changes by other processes. Rejects
 * with an `ApiError` 503 if they cannot be read.
 */
export interface Access {
  keyByHash(hash: string): Promise<KeyRecord | null>
  key(id: string): Promise<KeyRecord | null>
  user(id: string): Promise<UserRecord | null>
  /** Users of all companies with the email address, in any letter case; the order is undefined. */
  usersByEmail(email: string): Promise<readonly UserRecord[]>
  session(id: string): Promise<SessionRecord | null>
  /** Includes a company that another process has just created. */
  company(id: string): Promise<CompanyRecord | null>
  /** The company's record with a secret for its user tokens, if any process has created one. */
  companyWithSecret(id: string): Promise<CompanyRecord | null>
}

/**
 * For a process that is the only one with the log: its records contain every change before the change is acknowledged.
 */
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
