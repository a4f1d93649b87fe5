import { rangeQuery } from '../../schema/requests/page.ts'
import { exampleIds } from '../../schema/example-ids.ts'
import { partial, int, list, type Infer, text, unsafe, bool } from '../../schema/types.ts'
import {
  type PartAdjustmentTypeRecord,
  partAdjustmentTypeResponse,
  type PartAdjustmentTypeResponse,
  partAdjustmentTypeList,
} from '../../schema/records/part-adjustment-type.ts'
import { allOf } from '../auth/scopes.ts'
import { route, commandBody } from '../http/route.ts'
import { deleteRecord, recordRoutes } from './record-routes.ts'
import type { RecordsPort, CommandsPort, StorePort } from '../ports/ports.ts'
import { timedKinds } from '../../clickhouse/projections/timed-records.ts'
import type { QueryOptions } from '../../clickhouse/client/store.ts'
import { rejectBehaviorOf } from '../../processors/records/machine-inputs.ts'
import { fieldError, validationError } from '../../schema/errors.ts'
import {
  type PartAdjustmentRecord,
  partAdjustmentResponse,
  type PartAdjustmentResponse,
  type PartAdjustmentChange,
  partAdjustmentInput,
  partAdjustmentList,
  partAdjustmentUpdate,
} from '../../schema/records/part-adjustment.ts'
import type { JsonList } from '../json/write-json.ts'
import { findRecord } from './find-record.ts'
import { answerPage, readPage } from './page.ts'
import { pathId, submit, withId } from '../commands/submit.ts'

const scope = allOf('part-adjustment', 'reporting')

const listTypes = route('GET /part-adjustment-types', 'listPartAdjustmentTypes', {
  summary: 'Part adjustment types, by id',
  scope,
  query: partial({
    scrapOnly: { ...bool, default: false, description: 'Only types with `scrap`' },
    includeHidden: { ...bool, default: false },
  }),
  output: partAdjustmentTypeList,
  handle: ({ caller, query: { scrapOnly = false, includeHidden = false } }, { records }: RecordsPort) =>
    records
      .list('partAdjustmentType', caller().company.id)
      .filter(({ scrap, hidden }) => (scrap || !scrapOnly) && (!hidden || includeHidden))
      .sort((a, b) => a.id - b.id)
      .map(presentType),
})

function presentType(type: PartAdjustmentTypeRecord): PartAdjustmentTypeResponse {
  const { id, companyId, name, color, correction, scrap, rejectBehavior, hidden } = type
  return { id, company_id: companyId, name, color, correction, scrap, reject_behavior: rejectBehavior, hidden }
}

export const partAdjustmentTypeRoutes = [
  listTypes,
  ...recordRoutes({
    kind: 'partAdjustmentType',
    path: '/part-adjustment-types',
    ids: 'int',
    read: scope,
    write: scope,
    output: partAdjustmentTypeResponse,
    present: presentType,
    post: { summary: 'Create a part adjustment type', description: 'The next id is assigned.' },
    put: {
      summary: 'Create or replace a part adjustment type',
      description: 'Its `reject_behavior` also applies to past adjustments.',
    },
    delete: {
      summary: 'Delete a type that no part adjustment uses',
      description: '409 if an adjustment uses it: hide it instead.',
    },
  }),
]

/** Clients of this list do not support pages. */
const unlimited = { default: Infinity, max: Infinity } as const

const path = '/part-adjustment'
const listPath = '/part-adjustments'

const createAdjustment = route(`POST ${path}`, 'createPartAdjustment', {
  summary: 'Reject or correct parts',
  description:
    'A correction has a `count`, a reject a `scrapcount`; a reject of parts that the machine counted as good has both, `count` being the negative of `scrapcount`.',
  scope,
  body: commandBody(partAdjustmentInput),
  keyed: {},
  output: partAdjustmentResponse,
  async handle({ caller, body }, deps: CommandsPort & RecordsPort) {
    return present(await submit(deps, caller(), 'partAdjustment.create', body), deps)
  },
})

const updateAdjustment = route(`PUT ${path}/:id`, 'updatePartAdjustment', {
  example: { id: exampleIds.partAdjustment },
  summary: 'Change a part adjustment',
  description: 'Omitted fields stay unchanged. The body is an object, or an array of one object.',
  scope,
  body: commandBody(partAdjustmentUpdate),
  output: partAdjustmentResponse,
  async handle({ caller, params, body }, deps: CommandsPort & RecordsPort) {
    const updated = await submit(deps, caller(), 'partAdjustment.update', withId(onlyOne(body), pathId(params)))
    return present(updated, deps)
  },
})

const listAdjustments = route(`GET ${listPath}`, 'listPartAdjustments', {
  summary: 'Part adjustments, by time',
  description: '`scrap` and `correction` do not filter: they determine which types the response contains.',
  scope,
  query: partial({
    machine_id: list(text, { maxItems: 1000 }),
    ...rangeQuery,
    limit: { ...int, minimum: 1, description: 'Maximum number of adjustments; default: all' },
    scrap: { ...bool, description: 'Each adjustment has its `type`, null unless that is one of scrap' },
    correction: { ...bool, description: 'As `scrap`, for corrections; not together with `scrap`' },
  }),
  output: unsafe<JsonList<PartAdjustmentResponse>>(partAdjustmentList),
  async handle(call, deps: RecordsPort & StorePort) {
    const { machine_id: machineId, scrap = false, correction = false } = call.query
    if (scrap && correction)
      throw validationError([
        fieldError('correction', 'MutuallyExclusive', 'scrap and correction must not be used together'),
      ])
    const isShown = (type: PartAdjustmentTypeRecord) => (scrap ? type.scrap : type.correction)
    const { id: companyId } = call.caller().company
    const { records, store } = deps
    const found = await readPage(adjustments(companyId, deps), { records, store, companyId }, machineId, call)
    return answerPage(
      found,
      adjustment => {
        if (!scrap && !correction) return present(adjustment, deps)
        const type = findType(adjustment, deps)
        return { ...present(adjustment, deps), type: type && isShown(type) ? presentType(type) : null }
      },
      listPath,
      call,
      unlimited,
    )
  },
})

function onlyOne(body: Infer<typeof partAdjustmentUpdate>): PartAdjustmentChange {
  const items: readonly PartAdjustmentChange[] = Array.isArray(body) ? body : [body]
  const [item, ...others] = items
  if (item === undefined || others.length > 0)
    throw validationError([fieldError('body', 'InvalidType', 'body must be an object or an array of one object')])
  return item
}

function present(adjustment: PartAdjustmentRecord, deps: RecordsPort): PartAdjustmentResponse {
  const { id, machineId, adjustmentTime, categoryId, message, scrapCount, count } = adjustment
  return {
    id,
    machine_id: machineId,
    adjustmenttime: adjustmentTime,
    category_id: categoryId,
    message,
    scrapcount: scrapCount,
    count,
    reject_behavior: rejectBehaviorOf(adjustment, findType(adjustment, deps)),
  }
}

function findType(
  { companyId, categoryId }: PartAdjustmentRecord,
  { records }: RecordsPort,
): PartAdjustmentTypeRecord | null {
  return categoryId === null ? null : records.get('partAdjustmentType', companyId, categoryId)
}

function adjustments(companyId: string, deps: RecordsPort & StorePort) {
  return {
    of: timedKinds.partAdjustment,
    find: (id: string, options: QueryOptions) => findRecord(deps, companyId, 'partAdjustment', id, options),
    limits: unlimited,
  }
}

export const partAdjustmentRoutes = [
  createAdjustment,
  updateAdjustment,
  deleteRecord({ kind: 'partAdjustment', path, write: scope, delete: { summary: 'Delete a part adjustment' } }),
  listAdjustments,
]
