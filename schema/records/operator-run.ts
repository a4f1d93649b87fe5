import { exampleIds } from '../example-ids.ts'
import * as t from '../types.ts'

/** Period in which an operator is signed in at a machine. */
export const operatorRun = t.object({
  id: t.uuid,
  companyId: t.text,
  machineId: t.uuid,
  operatorId: t.id,
  startAt: t.instant,
  endAt: t.nullable(t.instant),
})
export type OperatorRunRecord = t.Infer<typeof operatorRun>

/** Response for a sign-in. */
export const operatorRunResponse = t.named('OperatorRun', t.without(operatorRun, 'companyId'))
export const operatorRunList = t.namedList(operatorRunResponse)
export type OperatorRunResponse = t.Infer<typeof operatorRunResponse>

/** Body of `POST /operator-runs`. */
export const operatorRunInput = t.named(
  'OperatorRunInput',
  t.withExamples(t.object({ machineId: t.uuid, operatorId: t.id, startAt: t.instantOrNow }, ['startAt']), {
    machineId: exampleIds.machine,
    operatorId: exampleIds.operator,
    startAt: '2026-03-02T06:00:00.000Z',
  }),
)

/** Body of `POST /operator-runs/:id/end`. */
export const operatorRunEndInput = t.named(
  'OperatorRunEndInput',
  t.withExamples(t.partial({ endAt: t.instantOrNow }), { endAt: '2026-03-02T14:00:00.000Z' }),
)
