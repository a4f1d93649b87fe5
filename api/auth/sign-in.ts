import type { UserRecord } from '../../schema/records.ts'
import type { Access } from './access.ts'
import { InvalidToken } from './authenticate.ts'
import { verifyPassword } from './password.ts'
import { createThrottle } from './throttle.ts'

/**
 * The user whose email address and password these are. Rejects with an `InvalidToken`, the same after the same time whatever is wrong;
 * with 429 where the account or the address has failed too often, even if it is right this time.
 */
export type SignIn = (email: string, password: string, address: string) => Promise<UserRecord>

const windowMs = 300_000

/** Failures in five minutes. */
export interface SignInLimits {
  readonly signInsPerAccount: number
  readonly signInsPerAddress: number
}

export function createSignIn(access: Access, { signInsPerAccount, signInsPerAddress }: SignInLimits): SignIn {
  const byAccount = createThrottle({ limit: signInsPerAccount, windowMs })
  const byAddress = createThrottle({ limit: signInsPerAddress, windowMs })
  return (email, password, address) =>
    byAddress.attempt(address, () => byAccount.attempt(email.toLowerCase(), () => userWith(email, password, access)))
}

async function userWith(email: string, password: string, access: Access): Promise<UserRecord> {
  const user = await access.userByEmail(email)
  const canSignIn = user !== null && user.disabledAt === null
  const isRight = await verifyPassword(password, canSignIn ? user.passwordHash : null)
  if (!canSignIn || !isRight) throw new InvalidToken('The email address or the password is wrong')
  return user
}
