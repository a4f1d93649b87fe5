import type { Payload } from '../../../schema/commands/commands.ts'
import type {
  ScheduleException,
  ScheduleRecord,
  ScheduleVersion,
  Shift,
  ShiftTimes,
} from '../../../schema/records/schedule.ts'
import { validateSchedule } from '../../calendar/validate-schedule.ts'
import type { Steps } from '../../../shared/async/steps.ts'
import { canonicalId } from '../../records/record-ids.ts'
import {
  type CommandSpec,
  type CompanyContext,
  type Decision,
  companyCommand,
  put,
  remove,
} from '../deciding/command.ts'
import { throwIfInvalid, rejectIfInUse, referringRecords } from '../deciding/command-rejection.ts'
import { shiftIdentities } from './shift-identities.ts'

type ScheduleInput = Payload<'schedule.put'>
type ShiftInput = NonNullable<NonNullable<ScheduleInput['versions']>[number]['shifts']>[number]
type ShiftTimesInput = Omit<ShiftInput, 'days'>

/**
 * Creates or replaces a schedule, with its versions ordered by date. A shift with the same id keeps its ref. Returns
 * the record.
 */
const putSchedule: CommandSpec = companyCommand('schedule.put', decidePut)

function* decidePut(payload: ScheduleInput, context: CompanyContext): Steps<Decision<ScheduleRecord>> {
  throwIfInvalid(yield* validateSchedule(payload))
  const { company, records } = context
  const scheduleId = canonicalId(payload.id)
  const before = records.get('schedule', company.id, scheduleId)
  const content = yield* identifyShifts(payload, before, context)
  const after: ScheduleRecord = { id: scheduleId, companyId: company.id, name: payload.name, ...content }
  return put('schedule', scheduleId, before, after)
}

/** Deletes a schedule; 409 if a machine uses it. Returns null. */
const deleteSchedule: CommandSpec = companyCommand('schedule.delete', (payload, context) => {
  const { company, records } = context
  const scheduleId = canonicalId(payload.id)
  const decision = remove('schedule', scheduleId, context)
  const machines = records.machines(company.id).filter(machine => machine.scheduleId === scheduleId)
  rejectIfInUse([referringRecords('machine', machines, ({ name }) => name)])
  return decision
})

function* identifyShifts(
  { versions, exceptions }: ScheduleInput,
  before: ScheduleRecord | null,
  { freshId, nextRef }: CompanyContext,
): Steps<Pick<ScheduleRecord, 'versions' | 'exceptions'>> {
  const versionShifts = (versions ?? []).map(version => version.shifts ?? [])
  const exceptionShifts = (exceptions ?? []).map(exception => exception.shifts ?? [])
  const identify = shiftIdentities(before, [...versionShifts, ...exceptionShifts], freshId, () => nextRef('shift'))
  const storedVersions: ScheduleVersion[] = []
  for (const { effectiveFrom = null, shifts } of versions ?? []) {
    const input = shifts ?? []
    const times = toShiftTimes(input, identify(input))
    storedVersions.push({ effectiveFrom, shifts: times.map((each, index) => withDays(each, input[index])) })
    yield
  }
  const storedExceptions: ScheduleException[] = []
  for (const { date, shifts } of exceptions ?? []) {
    const input = shifts ?? []
    storedExceptions.push({ date, shifts: toShiftTimes(input, identify(input)) })
    yield
  }
  return {
    versions: storedVersions.sort((a, b) => ((a.effectiveFrom ?? '') < (b.effectiveFrom ?? '') ? -1 : 1)),
    exceptions: storedExceptions.sort((a, b) => (a.date < b.date ? -1 : 1)),
  }
}

function toShiftTimes(
  input: readonly ShiftTimesInput[],
  identities: readonly Pick<ShiftTimes, 'id' | 'ref'>[],
): ShiftTimes[] {
  return identities.flatMap((identity, index) => {
    const times = input[index]
    if (!times) return []
    return [{ ...identity, name: times.name, optional: times.optional ?? false, start: times.start, end: times.end }]
  })
}

function withDays(times: ShiftTimes, input: ShiftInput | undefined): Shift {
  return { ...times, days: [...(input?.days ?? [])] }
}

export const scheduleCommands = [putSchedule, deleteSchedule]
