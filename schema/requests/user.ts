import { Type } from 'typebox'
import { role, userAnswer } from '../records/user.ts'
import { bool, email, list, name, object, partial } from '../types.ts'

export const password = Type.String({ minLength: 12, maxLength: 200 })
export const userList = list(userAnswer)

const given = { email, displayName: name, role, password }

/** Body of `POST /users`. */
export const userInput = object(given)

/** Body of `PATCH /users/:id`: what is left out stays. */
export const userPatch = partial({ ...given, disabled: bool })
