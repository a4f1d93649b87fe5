import { exampleIds } from '../../schema/example-ids.ts'
import { bool, partial } from '../../schema/types.ts'
import {
  type PartAdjustmentTypeRecord,
  partAdjustmentTypeAnswer,
  type PartAdjustmentTypeAnswer,
  partAdjustmentTypeList,
} from '../../schema/records/part-adjustment-type.ts'
import { allOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import { deleteRecord, postRecord, putRecord, type Resource } from './record-routes.ts'
import type { RecordsPort } from '../ports/ports.ts'

export const adjustmentScopes = allOf('part-adjustment', 'reporting')

const types: Resource<'partAdjustmentType', typeof partAdjustmentTypeAnswer> = {
  kind: 'partAdjustmentType',
  exampleId: exampleIds.partAdjustmentType,
  path: '/part-adjustment-types',
  ids: 'int',
  read: adjustmentScopes,
  write: adjustmentScopes,
  output: partAdjustmentTypeAnswer,
  present: presentType,
}

const listTypes = route({
  method: 'GET',
  path: types.path,
  operationId: 'listPartAdjustmentTypes',
  summary: 'Part adjustment types',
  scope: types.read,
  query: partial({
    scrapOnly: { ...bool, default: false, description: 'Only types with `scrap`' },
    includeHidden: { ...bool, default: false },
  }),
  output: partAdjustmentTypeList,
  handle: ({ caller, query: { scrapOnly = false, includeHidden = false } }, { records }: RecordsPort) =>
    records
      .list('partAdjustmentType', caller().company.id)
      .filter(({ scrap, hidden }) => (scrap || !scrapOnly) && (!hidden || includeHidden))
      .map(presentType),
})

export function presentType(type: PartAdjustmentTypeRecord): PartAdjustmentTypeAnswer {
  const { id, companyId, name, color, correction, scrap, rejectBehavior, hidden } = type
  return { id, company_id: companyId, name, color, correction, scrap, reject_behavior: rejectBehavior, hidden }
}

export const partAdjustmentTypeRoutes = [
  listTypes,
  postRecord(types, { summary: 'Create a part adjustment type', description: 'The next id is assigned.' }),
  putRecord(types, {
    summary: 'Create or replace a part adjustment type',
    description: 'Its `reject_behavior` also applies to past adjustments.',
  }),
  deleteRecord(types, {
    summary: 'Delete a type that no part adjustment uses',
    description: '409 if an adjustment uses it: hide it instead.',
  }),
]
