import { defaultDowntimeReason, type DowntimeReasonRecord } from '../../../schema/records/downtime-reason.ts'
import { type CommandSpec, companyCommand, put, remove } from '../deciding/command.ts'
import { rejectIfInUse, storedReferences, throwIfInvalid } from '../deciding/command-rejection.ts'
import { rulesThatName } from './alert-references.ts'
import { resolveIntegerId } from './integer-id.ts'
import { toMachineGroupIds } from './machine-group-ids.ts'
import { momentName } from './moment-name.ts'
import { findAllMissing } from './named-records.ts'
import { withDefaults } from './optional-fields.ts'

/** Creates or replaces a downtime reason; without an id, assigns the next one. Returns the record. */
const putReason: CommandSpec = companyCommand('downtimeReason.put', (payload, context) => {
  const id = resolveIntegerId('downtimeReason', payload.id, context)
  const before = context.records.get('downtimeReason', context.company.id, id)
  const options = withDefaults<typeof defaultDowntimeReason>(defaultDowntimeReason, payload)
  const machineGroupIds = toMachineGroupIds(options.machineGroupIds)
  throwIfInvalid(findAllMissing('machineGroupIds', 'machineGroup', machineGroupIds, context))
  const after: DowntimeReasonRecord = {
    id,
    companyId: context.company.id,
    name: payload.name,
    ...options,
    machineGroupIds,
  }
  return put('downtimeReason', id, before, after)
})

/** Deletes a downtime reason; 409 if an annotation or alert rule refers to it (hide it instead). Returns null. */
const deleteReason: CommandSpec = companyCommand('downtimeReason.delete', ({ id }, context) => {
  const decision = remove('downtimeReason', id, context)
  const uses = context.stored.get('uses', { kind: 'downtimeReason', companyId: context.company.id, id })
  const annotations = storedReferences('annotation', uses, use => momentName(use, context))
  rejectIfInUse([annotations, rulesThatName('downtimeReason', id, context)], 'hide it instead')
  return decision
})

export const downtimeReasonCommands = [putReason, deleteReason]
