import { exampleIds } from '../example-ids.ts'
import {
  id,
  instant,
  named,
  namedList,
  instantOrNow,
  nullable,
  object,
  type Infer,
  partial,
  text,
  uuid,
  withExamples,
  without,
} from '../types.ts'

/** Period in which an operator is signed in at a machine. */
export const operatorRun = object({
  id: uuid,
  companyId: text,
  machineId: uuid,
  operatorId: id,
  startAt: instant,
  endAt: nullable(instant),
})
export type OperatorRunRecord = Infer<typeof operatorRun>

/** Response for a sign-in. */
export const operatorRunResponse = named('OperatorRun', without(operatorRun, 'companyId'))
export const operatorRunList = namedList(operatorRunResponse)
export type OperatorRunResponse = Infer<typeof operatorRunResponse>

/** Body of `POST /operator-runs`. */
export const operatorRunInput = named(
  'OperatorRunInput',
  withExamples(object({ machineId: uuid, operatorId: id, startAt: instantOrNow }, ['startAt']), {
    machineId: exampleIds.machine,
    operatorId: exampleIds.operator,
    startAt: '2026-03-02T06:00:00.000Z',
  }),
)

/** Body of `POST /operator-runs/:id/end`. */
export const operatorRunEndInput = named(
  'OperatorRunEndInput',
  withExamples(partial({ endAt: instantOrNow }), { endAt: '2026-03-02T14:00:00.000Z' }),
)
