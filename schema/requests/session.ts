import { Type } from 'typebox'
import { userResponse } from '../records/user.ts'
import * as t from '../types.ts'
import { companySummary } from './account.ts'
import { password } from './user.ts'

/**
 * Body of `POST /session`. `company`: id or name of the company, required if several companies have a user with this
 * email address.
 */
export const signInInput = t.named(
  'SignInInput',
  t.withExamples(
    t.object({ email: Type.String({ maxLength: 254 }), password: t.shortText, company: t.nullable(t.shortText) }, [
      'company',
    ]),
    { email: 'ann@plant.example', password: 'correct horse battery' },
  ),
)
export type SignInInput = t.Infer<typeof signInInput>

/** The signed-in user with the granted scopes. `expiresAt`: when the session ends at the latest. */
export const sessionResponse = t.named(
  'Session',
  t.object({
    user: userResponse,
    company: companySummary,
    scopes: t.list(t.text),
    expiresAt: t.instant,
  }),
)
export type Session = t.Infer<typeof sessionResponse>

/** Body of `PUT /session/password`. */
export const passwordInput = t.named(
  'PasswordInput',
  t.withExamples(t.object({ currentPassword: t.shortText, newPassword: password }), {
    currentPassword: 'correct horse battery',
    newPassword: 'staple of the correct horse',
  }),
)
