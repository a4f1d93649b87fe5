import type { Payload } from '../../../schema/commands/commands.ts'
import type { PartAdjustmentRecord } from '../../../schema/records/part-adjustment.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put, remove } from '../deciding/command.ts'
import { toInstantOrNull } from '../../../shared/time/instant.ts'
import { notFound, throwIfInvalid } from '../deciding/command-rejection.ts'
import { findMissing } from './named-records.ts'

type References = Pick<Payload<'partAdjustment.update'>, 'machine_id' | 'category_id'>

/** Creates an adjustment with a new id. Omitted counts are 0. Returns the record. */
const createAdjustment: CommandSpec = companyCommand('partAdjustment.create', (payload, context) => {
  rejectUnknownReferences(payload, context)
  const after: PartAdjustmentRecord = {
    id: context.freshId(),
    companyId: context.company.id,
    machineId: canonicalId(payload.machine_id),
    adjustmentTime: toInstantOrNull(payload.adjustmenttime) ?? context.now,
    categoryId: payload.category_id ?? null,
    message: payload.message ?? '',
    scrapCount: payload.scrapcount ?? 0,
    count: payload.count ?? 0,
    rejectBehavior: payload.reject_behavior ?? null,
  }
  return put('partAdjustment', after.id, null, after)
})

/** Changes an adjustment; omitted fields are kept, except the counts, which are required. Returns the record. */
const updateAdjustment: CommandSpec = companyCommand('partAdjustment.update', (payload, context) => {
  const before = context.timed.get('partAdjustment', context.company.id, payload.id)
  if (!before) throw notFound("cannot read property 'machine' of null")
  rejectUnknownReferences(payload, context)
  const { category_id: category, reject_behavior: behavior } = payload
  const after: PartAdjustmentRecord = {
    ...before,
    machineId: payload.machine_id ? canonicalId(payload.machine_id) : before.machineId,
    adjustmentTime: toInstantOrNull(payload.adjustmenttime) ?? before.adjustmentTime,
    categoryId: category === undefined ? before.categoryId : category,
    message: payload.message ?? before.message,
    scrapCount: payload.scrapcount,
    count: payload.count,
    rejectBehavior: behavior === undefined ? before.rejectBehavior : behavior,
  }
  return put('partAdjustment', before.id, before, after)
})

/** Deletes an adjustment. Returns null. */
const deleteAdjustment: CommandSpec = companyCommand('partAdjustment.delete', (payload, context) =>
  remove('partAdjustment', payload.id, context),
)

/** Rejects an unknown machine or type. The message for an unknown type is fixed, because clients compare it. */
function rejectUnknownReferences(
  { machine_id: machineId, category_id: category }: References,
  context: CompanyContext,
): void {
  const ofMachine = findMissing('machine_id', 'machine', machineId || null, context)
  const ofType = findMissing('category_id', 'partAdjustmentType', category, context)
  throwIfInvalid([...ofMachine, ...ofType], ofType.length === 0 ? undefined : 'cannot read property id of null')
}

export const partAdjustmentCommands = [createAdjustment, updateAdjustment, deleteAdjustment]
