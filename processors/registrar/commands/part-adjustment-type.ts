import type { PartAdjustmentRecord } from '../../../schema/records/part-adjustment.ts'
import type { PartAdjustmentTypeRecord } from '../../../schema/records/part-adjustment-type.ts'
import { type CommandSpec, companyCommand, put, remove } from '../deciding/command.ts'
import { refuseInUse, users } from '../deciding/refusal.ts'
import { intIdFor } from './given-id.ts'
import { momentName } from './user-names.ts'

/** Creates (without id: with the next one) or replaces a part adjustment type. Returns the record. */
const putType: CommandSpec = companyCommand('partAdjustmentType.put', (payload, context) => {
  const id = intIdFor('partAdjustmentType', payload.id, context)
  const before = context.records.get('partAdjustmentType', context.company.id, id)
  const correction = payload.correction ?? false
  const after: PartAdjustmentTypeRecord = {
    id,
    companyId: context.company.id,
    name: payload.name,
    color: payload.color ?? '#808080',
    correction,
    scrap: payload.scrap ?? !correction,
    rejectBehavior: payload.reject_behavior ?? 'operator',
    hidden: payload.hidden ?? false,
  }
  return put('partAdjustmentType', id, before, after)
})

/** Deletes a type; 409 if an adjustment refers to it (hide it instead). Returns null. */
const deleteType: CommandSpec = companyCommand('partAdjustmentType.delete', ({ id }, context) => {
  const decision = remove('partAdjustmentType', id, context)
  const adjustments = context.records.list('partAdjustment', context.company.id).filter(it => it.categoryId === id)
  const nameOf = (it: PartAdjustmentRecord) => momentName(it.machineId, it.adjustmentTime, context)
  refuseInUse([users('part adjustment', adjustments, nameOf)], 'hide it instead')
  return decision
})

export const partAdjustmentTypeCommands = [putType, deleteType]
