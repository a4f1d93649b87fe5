import type { PartAdjustmentTypeRecord } from '../../../schema/records/part-adjustment-type.ts'
import { type CommandSpec, companyCommand, put, remove } from '../deciding/command.ts'
import { rejectIfInUse, storedReferences } from '../deciding/command-rejection.ts'
import { resolveIntegerId } from './integer-id.ts'
import { momentName } from './moment-name.ts'

/** Creates or replaces a part adjustment type; without an id, assigns the next one. Returns the record. */
const putType: CommandSpec = companyCommand('partAdjustmentType.put', (payload, context) => {
  const id = resolveIntegerId('partAdjustmentType', payload.id, context)
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
  const uses = context.stored.get('uses', { kind: 'partAdjustmentType', companyId: context.company.id, id })
  rejectIfInUse([storedReferences('part adjustment', uses, use => momentName(use, context))], 'hide it instead')
  return decision
})

export const partAdjustmentTypeCommands = [putType, deleteType]
