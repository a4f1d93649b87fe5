import { id, int, name, named, object, type Infer, text, withExamples, without } from '../types.ts'

export const operator = object({ id, ref: int, companyId: text, name })
export type OperatorRecord = Infer<typeof operator>

/** Response for an operator. */
export const operatorResponse = named('Operator', without(operator, 'ref', 'companyId'))

/** Request body for an operator. */
export const operatorInput = named('OperatorInput', withExamples(object({ name }), { name: 'Ann' }))
