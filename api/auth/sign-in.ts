import type { SignInInput } from '../../schema/requests/session.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import { noPassword, type UserRecord } from '../../schema/records/user.ts'
import type { Access } from './access.ts'
import { InvalidToken } from './authenticate.ts'
import { verifyPassword } from './password.ts'
import { createThrottle } from './throttle.ts'

/**
 * Both reject with an `InvalidToken`, the same after the same time whatever is wrong; with 429 where the account or the address has
 * failed too often, even if it is right this time. `address`: of who asks.
 */
export interface SignIn {
  /**
   * The user with this email address and password, in the company named, if one is. Of several who have both, the one made first.
   */
  userWith(given: SignInInput, address: string): Promise<UserRecord>
  /** Resolves where it is the user's password. */
  confirm(user: UserRecord, password: string, address: string): Promise<void>
}

/** Failed attempts are counted for so long. */
export const signInWindowMs = 300_000
/**
 * Each costs some 150 ms of a core. An address that more companies have needs the company's name; its password is not tried with the
 * users made after these.
 */
const mostTries = 3

/** Failures in five minutes. */
export interface SignInLimits {
  readonly signInsPerAccount: number
  readonly signInsPerAddress: number
}

/** `companies`: all of the installation. */
export function createSignIn(
  access: Access,
  companies: () => readonly CompanyRecord[],
  { signInsPerAccount, signInsPerAddress }: SignInLimits,
): SignIn {
  const byAccount = createThrottle({ limit: signInsPerAccount, windowMs: signInWindowMs })
  const byAddress = createThrottle({ limit: signInsPerAddress, windowMs: signInWindowMs })
  const attempt = <T>(email: string, address: string, work: () => Promise<T>): Promise<T> =>
    byAddress.attempt(address, () => byAccount.attempt(email.toLowerCase(), work))
  return {
    userWith: ({ email, password, company }, address) =>
      attempt(email, address, async () => {
        const meant = (await access.usersByEmail(email)).filter(isMeant(company ?? null, companies()))
        return matching(meant, password, Math.min(mostTries, companies().length))
      }),
    confirm: (user, password, address) =>
      attempt(user.email, address, async () => {
        await matching([user], password, 1)
      }),
  }
}

/** In a company of this id or name, or in any. */
function isMeant(named: string | null, companies: readonly CompanyRecord[]): (user: UserRecord) => boolean {
  if (named === null) return () => true
  const meant = companies.filter(({ id, settings }) => id === named || settings.companyName === named)
  const ids = new Set(meant.map(({ id }) => id))
  return ({ companyId }) => ids.has(companyId)
}

/** As many passwords are tried however many users there are, and all of them: the time tells nothing. */
async function matching(users: readonly UserRecord[], password: string, tries: number): Promise<UserRecord> {
  const candidates = users
    .filter(({ disabledAt, passwordHash }) => disabledAt === null && passwordHash !== noPassword)
    .sort(byAge)
  const tried = Array.from({ length: Math.max(1, tries) }, (_, index) => candidates[index] ?? null)
  const isRight = await Promise.all(tried.map(user => verifyPassword(password, user?.passwordHash ?? null)))
  const user = tried.find((_, index) => isRight[index])
  if (!user) throw new InvalidToken('The email address or the password is wrong')
  return user
}

function byAge(a: UserRecord, b: UserRecord): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : 1
}
