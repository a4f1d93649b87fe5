import { id, int, name, object, type Of, text, withExamples, without } from '../types.ts'

export const operator = object({ id, ref: int, companyId: text, name })
export type OperatorRecord = Of<typeof operator>

/** An operator as it is answered. */
export const operatorAnswer = without(operator, 'ref', 'companyId')

/** An operator as a caller sends it. */
export const operatorInput = withExamples(object({ name }), { name: 'Ann' })
