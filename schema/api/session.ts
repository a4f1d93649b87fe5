import { instant, list, object, schema, text } from './json-schema.ts'
import { password, type User, user } from './user.ts'

/** Body of `POST /session`. */
export interface SignInInput {
  readonly email: string
  readonly password: string
}

export const signInInput = schema<SignInInput>(
  object({ email: { ...text, maxLength: 254 }, password: { ...text, maxLength: 200 } }),
)

/** Who is signed in, and what may be done. */
export interface Session {
  readonly user: User
  readonly company: { readonly id: string; readonly name: string; readonly timeZone: string }
  readonly scopes: readonly string[]
  /** When it ends at the latest. */
  readonly expiresAt: string
}

export const session = schema<Session>(
  object({
    user: user.json,
    company: object({ id: text, name: text, timeZone: text }),
    scopes: list(text),
    expiresAt: instant,
  }),
)

/** Body of `PUT /session/password`. */
export interface PasswordInput {
  readonly currentPassword: string
  readonly newPassword: string
}

export const passwordInput = schema<PasswordInput>(
  object({ currentPassword: { ...text, maxLength: 200 }, newPassword: password }),
)
