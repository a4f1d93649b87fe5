import { readHistory } from '../../clickhouse/documents/read-history.ts'
import { readFirstSeen } from '../../clickhouse/samples/first-seen.ts'
import { readActivity } from '../../clickhouse/samples/read-activity.ts'
import type { TimeRange } from '../../processors/calendar/types.ts'
import { partsToRead } from '../../respond/evaluate/parts.ts'
import { commissionedTime } from '../../respond/holds/commissioned-time.ts'
import { historyOf } from '../../respond/holds/machine-history.ts'
import { firstNotices, FirstIncidents, type TriedIncident } from '../../respond/try/first-incidents.ts'
import type { PlannedNotice } from '../../respond/steps/planned-notices.ts'
import { tryRule } from '../../respond/try/try-rule.ts'
import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import { appliesToMachine } from '../../schema/records/alert-subject.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { type RuleTrial, ruleTrialLimits } from '../../schema/requests/rule-trial.ts'
import { mapConcurrently } from '../../shared/async/map-concurrently.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { dayMs, hourMs, secondMs, slotOf } from '../../shared/time/units.ts'
import type { CompanyView } from './company/company-view.ts'
import { clampInstants } from './plan/plan.ts'
import type { QueryContext } from './query/query.ts'

/** A rule on machines, whose fields are valid, and a range of at most 31 days. */
export interface RuleTrialRequest {
  readonly rule: AlertRuleRecord & { readonly condition: MachineCondition }
  readonly range: TimeRange
}

interface Context extends QueryContext {
  readonly view: CompanyView
  /** Milliseconds since some fixed instant. */
  readonly monotonicMs: () => number
}

/** How long before the range the first read of a history begins; machines whose condition holds since then need more. */
const firstLeadMs = 6 * hourMs
/** Earliest start of a history before the range: incidents of conditions that hold since then are not found. */
const maxLeadMs = ruleTrialLimits.days * dayMs
/** Factor by which the time before the range grows with each read. */
const leadGrowth = 4
/** Limit of the bytes of one read: they are parsed in one piece. */
const maxBytesPerRead = 16_000_000
/** Reads of a trial at the same time: the store reads histories while the service tries earlier ones. */
const concurrentReads = 2

interface TriedMachine {
  readonly machine: MachineRecord
  readonly fromMs: number
}

interface Trial extends RuleTrialRequest {
  readonly shiftIds: ReadonlyMap<number, string>
  readonly found: FirstIncidents<MachineRecord>
}

/**
 * Finds the incidents that a rule would have opened in a range, with their notices. After some time, or when the signal of
 * the report aborts, the remaining machines are counted, not tried. Rejects as reports do.
 */
export async function readRuleTrial({ rule, range }: RuleTrialRequest, context: Context): Promise<RuleTrial> {
  const { view, monotonicMs } = context
  const lastReadMs = monotonicMs() + ruleTrialLimits.seconds * secondMs
  let untriedMachines = 0
  const trial: Trial = {
    rule,
    range: clampInstants(range, view.nowMs),
    shiftIds: new Map(Array.from(view.shifts, ([ref, { id }]) => [ref, id])),
    found: new FirstIncidents(rule, ruleTrialLimits.incidents),
  }
  const { startMs, endMs } = trial.range
  const machines = startMs < endMs ? view.machines.filter(machine => appliesToMachine(rule.subject, machine)) : []
  let remaining: readonly TriedMachine[] = machines.map(machine => ({ machine, fromMs: slotOf(startMs - firstLeadMs) }))
  while (remaining.length > 0) {
    const longer: TriedMachine[] = []
    await mapConcurrently(partsToRead(remaining, endMs), concurrentReads, async part => {
      const tried = monotonicMs() > lastReadMs ? null : await tryUnlessAborted(trial, part, context)
      if (tried === null) untriedMachines += part.length
      else longer.push(...tried)
    })
    remaining = longer
  }
  return { ...present(trial), untriedMachines }
}

/** Tries the rule on machines, as `tryPart` does; null: the signal of the report aborted, and the machines were not tried. */
async function tryUnlessAborted(
  trial: Trial,
  machines: readonly TriedMachine[],
  context: Context,
): Promise<readonly TriedMachine[] | null> {
  try {
    return await tryPart(trial, machines, context)
  } catch (error) {
    if (context.options.signal?.aborted === true) return null
    throw error
  }
}

/** Tries the rule on machines whose histories are read together; returns those that need longer histories. */
async function tryPart(trial: Trial, machines: readonly TriedMachine[], context: Context): Promise<TriedMachine[]> {
  const { rule, range, shiftIds, found } = trial
  const { calendar } = context.view
  const fromMs = Math.min(...machines.map(each => each.fromMs))
  const dataOf = await readMachines(trial, machines, fromMs, context)
  const longer: TriedMachine[] = []
  const slice = new TimeSlice()
  for (const { machine } of machines) {
    if (slice.isOver) await slice.next()
    const { hours, ...data } = dataOf(machine)
    const knownToMs = (hours.at(-1)?.slotMs ?? -Infinity) + hourMs
    const limitMs = machine.decommissionedAt === null ? Math.min(range.endMs, knownToMs) : range.endMs
    const known = { ...data, history: historyOf(hours), shiftIds, calendar, fromMs, limitMs }
    const { spans, isCut } = tryRule(rule, known, range.startMs)
    const longerFromMs = slotOf(range.startMs - Math.min(maxLeadMs, leadGrowth * (range.startMs - fromMs)))
    if (isCut && longerFromMs < fromMs) longer.push({ machine, fromMs: longerFromMs })
    else for (const span of spans) found.add({ subject: machine, span, limitMs })
  }
  return longer
}

/** Reads what the rule needs of machines from an instant on. */
async function readMachines(
  { rule, range }: Trial,
  machines: readonly TriedMachine[],
  fromMs: number,
  { store, options, view }: Context,
) {
  const refs = machines.map(({ machine }) => machine.ref)
  const limited = { ...options, settings: { ...options.settings, max_result_bytes: maxBytesPerRead } }
  const of = [store, view.company.ref, refs, fromMs, range.endMs, limited] as const
  const isSilence = 'silent' in rule.condition
  const hours = groupBy(await readHistory(...of), ({ machineRef }) => machineRef)
  const activity = groupBy(isSilence ? await readActivity(...of) : [], ({ machineRef }) => machineRef)
  const firstSeen = isSilence ? await readFirstSeen(store, view.company.ref, refs, options) : []
  const firstSeenMs = new Map(firstSeen.map(each => [each.machineRef, each.firstSeenMs]))
  return (machine: MachineRecord) => {
    const commissioned = commissionedTime(machine)
    return {
      hours: hours.get(machine.ref) ?? [],
      activity: activity.get(machine.ref) ?? [],
      commissioned,
      beginsMs: isSilence ? (firstSeenMs.get(machine.ref) ?? Infinity) : commissioned.startMs,
    }
  }
}

function present({ rule, found }: Trial): Omit<RuleTrial, 'untriedMachines'> {
  const incidents = found.list()
  const { notices, hasMore } = firstNotices(rule, incidents, ruleTrialLimits.notices)
  return {
    incidents: incidents.map((incident, index) => presentIncident(incident, notices[index] ?? [])),
    hasMore: found.hasMore || hasMore,
  }
}

function presentIncident(
  { subject: { id, name }, span }: TriedIncident<MachineRecord>,
  notices: readonly PlannedNotice[],
): RuleTrial['incidents'][number] {
  return {
    subject: { type: 'machine', id, name },
    startedAt: isoText(span.startMs),
    openedAt: isoText(span.openedMs),
    endedAt: span.endMs === Infinity ? null : isoText(span.endMs),
    notices: notices.map(({ atMs, step, targetId }) => ({ at: isoText(atMs), step, targetId })),
  }
}
