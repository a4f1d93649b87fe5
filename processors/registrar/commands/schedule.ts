import type { Payload } from '../../../schema/commands/commands.ts'
import type {
  ScheduleException,
  ScheduleRecord,
  ScheduleVersion,
  Shift,
  ShiftTimes,
} from '../../../schema/records/schedule.ts'
import { validatingSchedule } from '../../calendar/validate-schedule.ts'
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
import { refuseFaults, refuseInUse, users } from '../deciding/refusal.ts'
import { shiftIdentities } from './shift-identities.ts'

type Sent = Payload<'schedule.put'>
type GivenShift = NonNullable<NonNullable<Sent['versions']>[number]['shifts']>[number]
type GivenTimes = Omit<GivenShift, 'days'>

/**
 * Creates or replaces a schedule, with its versions ordered by date. A shift with the same id keeps its ref. Returns
 * the record.
 */
const putSchedule: CommandSpec = companyCommand('schedule.put', decidePut)

function* decidePut(payload: Sent, context: CompanyContext): Steps<Decision<ScheduleRecord>> {
  refuseFaults(yield* validatingSchedule(payload))
  const { company, records } = context
  const scheduleId = canonicalId(payload.id)
  const before = records.get('schedule', company.id, scheduleId)
  const content = yield* identified(payload, before, context)
  const after: ScheduleRecord = { id: scheduleId, companyId: company.id, name: payload.name, ...content }
  return put('schedule', scheduleId, before, after)
}

/** Deletes a schedule; 409 if a machine uses it. Returns null. */
const deleteSchedule: CommandSpec = companyCommand('schedule.delete', (payload, context) => {
  const { company, records } = context
  const scheduleId = canonicalId(payload.id)
  const decision = remove('schedule', scheduleId, context)
  const followers = records.machines(company.id).filter(machine => machine.scheduleId === scheduleId)
  refuseInUse([users('machine', followers, ({ name }) => name)])
  return decision
})

function* identified(
  { versions, exceptions }: Sent,
  before: ScheduleRecord | null,
  { freshId, nextRef }: CompanyContext,
): Steps<Pick<ScheduleRecord, 'versions' | 'exceptions'>> {
  const givenVersions = (versions ?? []).map(version => version.shifts ?? [])
  const givenExceptions = (exceptions ?? []).map(exception => exception.shifts ?? [])
  const identify = shiftIdentities(before, [...givenVersions, ...givenExceptions], freshId, () => nextRef('shift'))
  const storedVersions: ScheduleVersion[] = []
  for (const { effectiveFrom = null, shifts } of versions ?? []) {
    const given = shifts ?? []
    const times = timesOf(given, identify(given))
    storedVersions.push({ effectiveFrom, shifts: times.map((each, index) => withDays(each, given[index])) })
    yield
  }
  const storedExceptions: ScheduleException[] = []
  for (const { date, shifts } of exceptions ?? []) {
    const given = shifts ?? []
    storedExceptions.push({ date, shifts: timesOf(given, identify(given)) })
    yield
  }
  return {
    versions: storedVersions.sort((a, b) => ((a.effectiveFrom ?? '') < (b.effectiveFrom ?? '') ? -1 : 1)),
    exceptions: storedExceptions.sort((a, b) => (a.date < b.date ? -1 : 1)),
  }
}

function timesOf(given: readonly GivenTimes[], identities: readonly Pick<ShiftTimes, 'id' | 'ref'>[]): ShiftTimes[] {
  return identities.flatMap((identity, index) => {
    const times = given[index]
    if (!times) return []
    return [{ ...identity, name: times.name, optional: times.optional ?? false, start: times.start, end: times.end }]
  })
}

function withDays(times: ShiftTimes, given: GivenShift | undefined): Shift {
  return { ...times, days: [...(given?.days ?? [])] }
}

export const scheduleCommands = [putSchedule, deleteSchedule]
