import { roles } from '../roles.ts'
import { named, oneOf } from '../types.ts'

export const role = named('Role', oneOf(roles))
