import { id, int, name, named, object, type Of, text, withExamples, without } from '../types.ts'

export const operator = object({ id, ref: int, companyId: text, name })
export type OperatorRecord = Of<typeof operator>

/** Response for an operator. */
export const operatorAnswer = named('Operator', without(operator, 'ref', 'companyId'))

/** An operator as a caller sends it. */
export const operatorInput = named('OperatorInput', withExamples(object({ name }), { name: 'Ann' }))
