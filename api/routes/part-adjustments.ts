import { exampleIds } from '../../schema/example-ids.ts'
import { rejectBehaviorOf } from '../../processors/records/machine-inputs.ts'
import { bool, int, list, type Infer, partial, text, unsafe } from '../../schema/types.ts'
import { rangeQuery } from '../../schema/requests/page.ts'
import { fault, validationError } from '../../schema/errors.ts'
import {
  type PartAdjustmentRecord,
  partAdjustmentAnswer,
  type PartAdjustmentAnswer,
  type PartAdjustmentChange,
  partAdjustmentInput,
  partAdjustmentList,
  partAdjustmentUpdate,
} from '../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeRecord } from '../../schema/records/part-adjustment-type.ts'
import { route, commandBody } from '../http/route.ts'
import type { JsonList } from '../json/json-list.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'
import { recordsInRange, type Timed } from './machine-records.ts'
import { answerPage } from './page.ts'
import { adjustmentScopes, presentType } from './part-adjustment-types.ts'
import { deleteRecord } from './record-routes.ts'
import { pathId, submit, withId } from '../commands/submit.ts'

/** Clients of this list do not support pages. */
const unlimited = { default: Infinity, max: Infinity } as const

const path = '/part-adjustment'
const listPath = '/part-adjustments'

const createAdjustment = route({
  method: 'POST',
  path,
  operationId: 'createPartAdjustment',
  summary: 'Reject or correct parts',
  description:
    'A correction has a `count`, a reject a `scrapcount`; a reject of parts that the machine counted as good has both, `count` being the negative of `scrapcount`.',
  scope: adjustmentScopes,
  body: commandBody(partAdjustmentInput),
  keyed: {},
  output: partAdjustmentAnswer,
  async handle({ caller, body }, deps: CommandsPort & RecordsPort) {
    return present(await submit(deps, caller(), 'partAdjustment.create', body), deps)
  },
})

const updateAdjustment = route({
  method: 'PUT',
  path: `${path}/:id`,
  operationId: 'updatePartAdjustment',
  example: { id: exampleIds.partAdjustment },
  summary: 'Change a part adjustment',
  description: 'Omitted fields stay unchanged. The body is an object, or an array of one object.',
  scope: adjustmentScopes,
  body: commandBody(partAdjustmentUpdate),
  output: partAdjustmentAnswer,
  async handle({ caller, params, body }, deps: CommandsPort & RecordsPort) {
    const updated = await submit(deps, caller(), 'partAdjustment.update', withId(onlyOne(body), pathId(params)))
    return present(updated, deps)
  },
})

const listAdjustments = route({
  method: 'GET',
  path: listPath,
  operationId: 'listPartAdjustments',
  summary: 'Part adjustments, by time',
  description: '`scrap` and `correction` do not filter: they determine which types the response contains.',
  scope: adjustmentScopes,
  query: partial({
    machine_id: list(text, { maxItems: 1000 }),
    ...rangeQuery,
    limit: { ...int, minimum: 1, description: 'Maximum number of adjustments; default: all' },
    scrap: { ...bool, description: 'Each adjustment has its `type`, null unless that is one of scrap' },
    correction: { ...bool, description: 'As `scrap`, for corrections; not together with `scrap`' },
  }),
  output: unsafe<JsonList<PartAdjustmentAnswer>>(partAdjustmentList),
  handle(call, deps: RecordsPort) {
    const { machine_id: machineId, scrap = false, correction = false, ...range } = call.query
    if (scrap && correction)
      throw validationError([
        fault('correction', 'MutuallyExclusive', 'scrap and correction must not be used together'),
      ])
    const isTold = (type: PartAdjustmentTypeRecord) => (scrap ? type.scrap : type.correction)
    const { id: companyId } = call.caller().company
    const found = recordsInRange(timed(companyId, deps.records), { records: deps.records, companyId }, machineId, range)
    return answerPage(
      found,
      adjustment => {
        if (!scrap && !correction) return present(adjustment, deps)
        const type = typeOf(adjustment, deps)
        return { ...present(adjustment, deps), type: type && isTold(type) ? presentType(type) : null }
      },
      listPath,
      call,
      unlimited,
    )
  },
})

/** The body, or the only item of it. */
function onlyOne(body: Infer<typeof partAdjustmentUpdate>): PartAdjustmentChange {
  const items: readonly PartAdjustmentChange[] = Array.isArray(body) ? body : [body]
  const [item, ...others] = items
  if (item === undefined || others.length > 0)
    throw validationError([fault('body', 'InvalidType', 'body must be an object or an array of one object')])
  return item
}

function present(adjustment: PartAdjustmentRecord, deps: RecordsPort): PartAdjustmentAnswer {
  const { id, machineId, adjustmentTime, categoryId, message, scrapCount, count } = adjustment
  return {
    id,
    machine_id: machineId,
    adjustmenttime: adjustmentTime,
    category_id: categoryId,
    message,
    scrapcount: scrapCount,
    count,
    reject_behavior: rejectBehaviorOf(adjustment, typeOf(adjustment, deps)),
  }
}

function typeOf(
  { companyId, categoryId }: PartAdjustmentRecord,
  { records }: RecordsPort,
): PartAdjustmentTypeRecord | null {
  return categoryId === null ? null : records.get('partAdjustmentType', companyId, categoryId)
}

function timed(companyId: string, records: RecordsPort['records']): Timed<PartAdjustmentRecord> {
  return {
    of: machineId => records.adjustmentsOf(machineId),
    find: id => records.get('partAdjustment', companyId, id),
    at: ({ adjustmentTime }) => adjustmentTime,
  }
}

export const partAdjustmentRoutes = [
  createAdjustment,
  updateAdjustment,
  deleteRecord(
    { kind: 'partAdjustment', path, exampleId: exampleIds.partAdjustment, write: adjustmentScopes },
    { summary: 'Delete a part adjustment' },
  ),
  listAdjustments,
]
