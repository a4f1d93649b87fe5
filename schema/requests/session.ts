import { Type } from 'typebox'
import { userResponse } from '../records/user.ts'
import { instant, list, named, nullable, object, type Infer, shortText, text, withExamples } from '../types.ts'
import { companySummary } from './account.ts'
import { password } from './user.ts'

/**
 * Body of `POST /session`. `company`: id or name of the company, required if several companies have a user with this
 * email address.
 */
export const signInInput = named(
  'SignInInput',
  withExamples(
    object({ email: Type.String({ maxLength: 254 }), password: shortText, company: nullable(shortText) }, ['company']),
    { email: 'ann@plant.example', password: 'correct horse battery' },
  ),
)
export type SignInInput = Infer<typeof signInInput>

/** The signed-in user with the granted scopes. `expiresAt`: when the session ends at the latest. */
export const sessionResponse = named(
  'Session',
  object({
    user: userResponse,
    company: companySummary,
    scopes: list(text),
    expiresAt: instant,
  }),
)
export type Session = Infer<typeof sessionResponse>

/** Body of `PUT /session/password`. */
export const passwordInput = named(
  'PasswordInput',
  withExamples(object({ currentPassword: shortText, newPassword: password }), {
    currentPassword: 'correct horse battery',
    newPassword: 'staple of the correct horse',
  }),
)
