import * as t from '../types.ts'

export const operator = t.object({ id: t.id, ref: t.int, companyId: t.text, name: t.name })
export type OperatorRecord = t.Infer<typeof operator>

/** Response for an operator. */
export const operatorResponse = t.named('Operator', t.without(operator, 'ref', 'companyId'))

/** Request body for an operator. */
export const operatorInput = t.named('OperatorInput', t.withExamples(t.object({ name: t.name }), { name: 'Ann' }))
