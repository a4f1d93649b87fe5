import { Type } from 'typebox'
import { role } from '../records/role.ts'
import { userResponse } from '../records/user.ts'
import { bool, email, name, named, namedList, object, partial, withExamples } from '../types.ts'

export const password = Type.String({ minLength: 12, maxLength: 200 })
export const userList = namedList(userResponse)

const userFields = { email, displayName: name, role, password }

/** Body of `POST /users`. */
export const userInput = named(
  'UserInput',
  withExamples(object(userFields), {
    email: 'ann@plant.example',
    displayName: 'Ann Smith',
    role: 'manager',
    password: 'correct horse battery',
  }),
)

/** Body of `PATCH /users/:id`: omitted fields stay unchanged. */
export const userPatch = named(
  'UserPatch',
  withExamples(partial({ ...userFields, disabled: bool }), { displayName: 'Ann Miller' }),
)
