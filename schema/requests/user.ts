import { Type } from 'typebox'
import { role } from '../records/role.ts'
import { userResponse } from '../records/user.ts'
import * as t from '../types.ts'

export const password = Type.String({ minLength: 12, maxLength: 200 })
export const userList = t.namedList(userResponse)

const userFields = { email: t.email, displayName: t.name, role, password }

/** Body of `POST /users`. */
export const userInput = t.named(
  'UserInput',
  t.withExamples(t.object(userFields), {
    email: 'ann@plant.example',
    displayName: 'Ann Smith',
    role: 'manager',
    password: 'correct horse battery',
  }),
)

/** Body of `PATCH /users/:id`: omitted fields stay unchanged. */
export const userPatch = t.named(
  'UserPatch',
  t.withExamples(t.partial({ ...userFields, disabled: t.bool }), { displayName: 'Ann Miller' }),
)
