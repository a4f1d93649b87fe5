import type { Payload } from '../../../schema/commands/commands.ts'
import { defaultMachineSettings, type MachineRecord } from '../../../schema/records/machine.ts'
import { type FieldError, fieldError } from '../../../schema/errors.ts'
import { canonicalId } from '../../records/record-ids.ts'
import { type CommandSpec, type CompanyContext, companyCommand, put } from '../deciding/command.ts'
import { toInstantOrNull } from '../../../shared/time/instant.ts'
import { notFound, throwIfInvalid } from '../deciding/command-rejection.ts'
import { toMachineGroupIds } from './machine-group-ids.ts'
import { findAllMissing, findMissing } from './named-records.ts'
import { providedThresholds, withDefaults } from './optional-fields.ts'
import { asMachineRef } from '../../../schema/refs.ts'

type Settings = Omit<MachineRecord, 'id' | 'ref' | 'companyId' | 'name' | 'createdAt' | 'thresholds'>

/**
 * Creates or replaces a machine; omitted fields get their defaults. Returns the record. 404 for a machine of another
 * company.
 */
const putMachine: CommandSpec = companyCommand('machine.put', (payload, context) => {
  const { company, records, now, nextRef } = context
  const before = records.machine(payload.id)
  if (before && before.companyId !== company.id) throw notFound()
  const after: MachineRecord = {
    id: canonicalId(payload.id),
    ref: before?.ref ?? asMachineRef(nextRef('machine')),
    companyId: company.id,
    name: payload.name,
    ...settingsOf(payload),
    thresholds: providedThresholds(payload.thresholds),
    createdAt: before?.createdAt ?? now,
  }
  throwIfInvalid(findFieldErrors(after, context))
  return put('machine', after.id, before, after)
})

/** Decommissions a machine now, unless it is already decommissioned; its history is kept. Returns null. */
const deleteMachine: CommandSpec = companyCommand('machine.delete', (payload, { company, records, now }) => {
  const before = records.get('machine', company.id, payload.id)
  if (!before) throw notFound()
  const isOver = before.decommissionedAt !== null && before.decommissionedAt <= now
  const after = isOver ? before : { ...before, decommissionedAt: now }
  return { ...put('machine', before.id, before, after), result: null }
})

function settingsOf(payload: Payload<'machine.put'>): Settings {
  const { thresholds: _, ...defaults } = defaultMachineSettings
  const settings = withDefaults<Settings>(defaults, payload)
  const { cutSignal } = settings
  return {
    ...settings,
    machineGroupIds: toMachineGroupIds(settings.machineGroupIds),
    scheduleId: settings.scheduleId === null ? null : canonicalId(settings.scheduleId),
    cutSignal: cutSignal && { key: cutSignal.key, above: cutSignal.above },
    commissionedAt: toInstantOrNull(settings.commissionedAt),
    decommissionedAt: toInstantOrNull(settings.decommissionedAt),
  }
}

function findFieldErrors(machine: MachineRecord, context: CompanyContext): FieldError[] {
  const { records, company } = context
  const { machineGroupIds, scheduleId, commissionedAt, decommissionedAt } = machine
  const errors: FieldError[] = [
    ...findAllMissing('machineGroupIds', 'machineGroup', machineGroupIds, context),
    ...findMissing('scheduleId', 'schedule', scheduleId, context),
  ]
  if (commissionedAt !== null && decommissionedAt !== null && commissionedAt >= decommissionedAt)
    errors.push(fieldError('decommissionedAt', 'InvalidRange', 'decommissionedAt must be after commissionedAt'))
  if (sharesErpId(machine, records.machineByErpId(company.id, machine.erpMachineId ?? '')))
    errors.push(
      fieldError('erpMachineId', 'InvalidDataItem', `erpMachineId '${machine.erpMachineId}' is another machine's`),
    )
  return errors
}

/**
 * Returns whether both machines use the same erpMachineId. A decommissioned machine does not use its erpMachineId, so
 * that its successor can have it.
 */
function sharesErpId(machine: MachineRecord, other: MachineRecord | null): boolean {
  const isFree = machine.erpMachineId === null || machine.decommissionedAt !== null
  return !isFree && other !== null && other.id !== machine.id && other.decommissionedAt === null
}

export const machineCommands = [putMachine, deleteMachine]
