import type { Records } from '../../processors/records/records.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Looks up credentials as they are now, in every process. Rejects with an `ApiError` 503 if they are unavailable. */
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

/** For the only process with the log: its records contain every change before the change is acknowledged. */
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

/** Minimum length of a secret; a shorter one could be guessed. */
const minBytes = 32

/** Reads the secret that signs user tokens. Rejects with an Error that names the file. */
export async function readTokenSecret(path: string): Promise<Buffer> {
  const secret = await readFile(path).catch((error: unknown) => {
    throw new Error(`TAKT_TOKEN_SECRET_FILE: ${path} cannot be read`, { cause: error })
  })
  if (secret.length < minBytes) throw new Error(`TAKT_TOKEN_SECRET_FILE: ${path} has fewer than ${minBytes} bytes`)
  return secret
}

/** Replaces the companies' secrets with ones derived from the file's secret, which is not in the records. */
export function withTokenSecret(access: Access, secret: Buffer): Access {
  return {
    ...access,
    async companyWithSecret(id) {
      const company = await access.company(id)
      return company && { ...company, tokenSecret: createHmac('sha256', secret).update(id).digest('hex') }
    },
  }
}
