import { id, instant, nowUnlessGiven, nullable, object, type Of, partial, text, uuid, without } from '../types.ts'

/** A stay of an operator at a machine. */
export const operatorRun = object({
  id: uuid,
  companyId: text,
  machineId: uuid,
  operatorId: id,
  startAt: instant,
  endAt: nullable(instant),
})
export type OperatorRunRecord = Of<typeof operatorRun>

/** A sign-in as it is answered. */
export const operatorRunAnswer = without(operatorRun, 'companyId')
export type OperatorRunAnswer = Of<typeof operatorRunAnswer>

/** Body of `POST /operator-runs`. */
export const operatorRunInput = object({ machineId: uuid, operatorId: id, startAt: nowUnlessGiven }, ['startAt'])

/** Body of `POST /operator-runs/:id/end`. */
export const operatorRunEndInput = partial({ endAt: nowUnlessGiven })
