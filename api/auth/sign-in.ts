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
  /** Address of the client. */
  readonly address: string
  /** The browser's cookie of `known-browser.ts`. */
  readonly browser: string | undefined
}

/**
 * Both reject with an `InvalidToken`, the same after the same time whatever is wrong. After too many failures they reject with 429, even
 * if the password is right. A browser in which the user has signed in before has a counter of its own: failures of other clients do not
 * count there.
 */
export interface SignIn {
  /**
   * The user with this email address and password, in the company named, if one is. Of several who have both, the one made first.
   */
  userWith(given: SignInInput, source: SignInSource): Promise<UserRecord>
  /** Resolves where it is the user's password. */
  confirm(user: UserRecord, password: string, source: SignInSource): Promise<void>
}

/** Failed attempts are counted for this time. */
export const signInWindowMs = 300_000
/**
 * Each costs some 150 ms of a core. An address that more companies have needs the company's name; its password is not tried with the
 * users made after these.
 */
const mostTries = 3

/** Failures of a browser in which the user has signed in before are counted for this time. */
const browserWindowMs = 3_600_000

/** Failures in five minutes; of a known browser in an hour. */
export interface SignInLimits {
  /** From one address for one account. */
  readonly signInsPerAccountAndAddress: number
  readonly signInsPerAddress: number
  /** For one account from all addresses: high, as each failure of a stranger counts. */
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
        return matching(meant, password, Math.min(mostTries, companies().length))
      }),
    confirm: (user, password, source) =>
      attempt(user.email, source, async () => {
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
