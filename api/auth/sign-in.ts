import type { Records } from '../../processors/records/records.ts'
import type { SignInInput } from '../../schema/requests/session.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import { noPassword, type UserRecord } from '../../schema/records/user.ts'
import type { Access } from './access.ts'
import { InvalidToken } from './authenticate.ts'
import { knownBrowser } from './known-browser.ts'
import { verifyPassword } from './password.ts'
import { createThrottle } from './throttle.ts'

/** Source of an attempt. */
export interface SignInSource {
  readonly address: string
  /** The browser's cookie of `known-browser.ts`. */
  readonly browser: string | undefined
}

/**
 * Both methods reject with an `InvalidToken`, which is the same and takes the same time for all reasons. After too many
 * failures they reject with 429, even if the password is correct. A browser in which the user has signed in before has
 * its own counter, in which failures of other clients do not count.
 */
export interface SignIn {
  /** The user with this email address and password, in the given company if there is one; of several, the oldest. */
  userWith(input: SignInInput, source: SignInSource): Promise<UserRecord>
  confirm(user: UserRecord, password: string, source: SignInSource): Promise<void>
}

/** Period in which failed attempts are counted. */
export const signInWindowMs = 300_000
/**
 * Maximum number of users whose password is checked, because each check takes about 150 ms of CPU. If more companies
 * have the address, the sign-in must name the company: newer users are not checked.
 */
const maxTries = 3

/** Period in which failures of a known browser are counted. */
const browserWindowMs = 3_600_000

/** Failures in five minutes; for a known browser, in an hour. */
export interface SignInLimits {
  /** From one address for one account. */
  readonly signInsPerAccountAndAddress: number
  readonly signInsPerAddress: number
  /** For one account from all addresses: high, because failures of strangers count. */
  readonly signInsPerAccount: number
  readonly signInsPerBrowser: number
}

interface SignInDeps {
  readonly access: Access
  /** Companies and users of the installation, as this process has them in memory. */
  readonly records: Pick<Records, 'companies' | 'usersByEmail'>
  readonly limits: SignInLimits
}

export function createSignIn({ access, records, limits }: SignInDeps): SignIn {
  const companies = () => records.companies()
  const throttle = (limit: number, windowMs = signInWindowMs) => createThrottle({ limit, windowMs })
  const byAddress = throttle(limits.signInsPerAddress)
  const byBoth = throttle(limits.signInsPerAccountAndAddress)
  const byAccount = throttle(limits.signInsPerAccount)
  const byBrowser = throttle(limits.signInsPerBrowser, browserWindowMs)
  const attempt = <T>(email: string, { address, browser }: SignInSource, work: () => Promise<T>): Promise<T> => {
    const known = browser === undefined ? null : knownBrowser(browser, records.usersByEmail(email))
    if (known !== null) return byBrowser.attempt(known, work)
    const account = email.toLowerCase()
    return byAddress.attempt(address, () =>
      byBoth.attempt(`${address} ${account}`, () => byAccount.attempt(account, work)),
    )
  }
  return {
    userWith: ({ email, password, company }, source) =>
      attempt(email, source, async () => {
        const meant = (await access.usersByEmail(email)).filter(isMeant(company ?? null, companies()))
        return matching(meant, password, Math.min(maxTries, companies().length))
      }),
    confirm: (user, password, source) =>
      attempt(user.email, source, async () => {
        await matching([user], password, 1)
      }),
  }
}

/** A filter: users of the company with this id or name; null: all users. */
function isMeant(named: string | null, companies: readonly CompanyRecord[]): (user: UserRecord) => boolean {
  if (named === null) return () => true
  const meant = companies.filter(({ id, settings }) => id === named || settings.companyName === named)
  const ids = new Set(meant.map(({ id }) => id))
  return ({ companyId }) => ids.has(companyId)
}

/** Always checks the same number of passwords, so that the time reveals nothing. */
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
