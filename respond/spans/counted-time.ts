import type { AlertWhen } from '../../schema/records/alert-rule.ts'
import { dayNumber, weekday } from '../../shared/time/local-date.ts'
import type { Calendar } from '../../processors/calendar/types.ts'
import type { MachineCondition } from '../../schema/records/alert-condition.ts'
import type { StateSpan } from '../holds/machine-history.ts'
import { complementOf, intersectIntervals, type Interval, joinIntervals } from '../intervals/interval.ts'

const always: readonly Interval[] = [{ startMs: -Infinity, endMs: Infinity }]

/** Inputs of the time that a rule counts for a machine. */
export interface CountedTimeInputs {
  readonly states: readonly StateSpan[]
  /** Ids of shifts by `ref`. */
  readonly shiftIds: ReadonlyMap<number, string>
  /** The calendar of the company; it determines shop dates. */
  readonly calendar: Pick<Calendar, 'bucketsOf'>
  /** Gaps of the evaluation, in order and disjoint: silence and unavailability do not count there. */
  readonly gaps: readonly Interval[]
}

/** Returns the time inside `when` that counts for a condition of a machine, in order and disjoint. */
export function countedTime(
  when: AlertWhen,
  condition: MachineCondition,
  inputs: CountedTimeInputs,
): readonly Interval[] {
  const { states, gaps } = inputs
  const inStates = when.scheduled === null && when.shifts.length === 0 ? always : matchingStates(when, inputs)
  const onDays = intersectIntervals(inStates, allowedDays(when.days, states, inputs.calendar))
  const uncounted = gaps.length === 0 ? gaps : uncountedGaps(condition, states, gaps)
  return uncounted.length === 0 ? onDays : intersectIntervals(onDays, complementOf(uncounted))
}

function matchingStates(when: AlertWhen, { states, shiftIds }: CountedTimeInputs): readonly Interval[] {
  const isIn = ({ scheduled, shift }: StateSpan) =>
    (when.scheduled === null || scheduled === when.scheduled) &&
    (when.shifts.length === 0 || when.shifts.includes(shiftIds.get(shift) ?? ''))
  return joinIntervals(states.filter(isIn))
}

/** Returns the shop days with these weekdays in the time of the states; without weekdays all time. */
function allowedDays(
  days: readonly number[],
  states: readonly StateSpan[],
  calendar: CountedTimeInputs['calendar'],
): readonly Interval[] {
  const startMs = states[0]?.startMs ?? 0
  return countedDays(days, { startMs, endMs: states.at(-1)?.endMs ?? startMs }, calendar)
}

/**
 * Returns the shop days of a range with these ISO weekdays, joined; without weekdays all time. Rules on connectors and
 * the system count them.
 */
export function countedDays(
  days: readonly number[],
  range: Interval,
  calendar: CountedTimeInputs['calendar'],
): readonly Interval[] {
  if (days.length === 0) return always
  const buckets = calendar.bucketsOf('day', range.startMs, range.endMs)
  return joinIntervals(buckets.filter(({ shopDate }) => days.includes(weekday(dayNumber(shopDate)))))
}

/** Returns the gaps for silence, the unavailable time in gaps for statuses and stops, for alarms nothing. */
function uncountedGaps(
  condition: MachineCondition,
  states: readonly StateSpan[],
  gaps: readonly Interval[],
): readonly Interval[] {
  if ('silent' in condition) return gaps
  if ('alarm' in condition) return []
  const unavailable = joinIntervals(states.filter(({ status }) => status === 'UNAVAILABLE'))
  return intersectIntervals(unavailable, gaps)
}
