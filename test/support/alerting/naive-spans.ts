import {
  clocksChangeMs,
  type Plant,
  plantMinutes,
  type PlantRule,
  type PlantSample,
  shopDayStartHour,
  toMs,
} from './random-plant.ts'

/** Computes incidents by visiting every minute; shares no code with the product. Times are minutes. */

/** `end` null: it holds, or is in a break, at the limit. */
export interface NaiveSpan {
  readonly started: number
  readonly opened: number
  end: number | null
  readonly reopened: { readonly started: number; readonly opened: number }[]
}

type Gaps = readonly (readonly [number, number])[]

interface LocalTime {
  readonly minuteOfDay: number
  /** ISO weekday. */
  readonly weekday: number
  readonly shopWeekday: number
}

const hour = 3_600_000

function localTime(at: number): LocalTime {
  const local = toMs(at) + (toMs(at) < clocksChangeMs ? hour : 2 * hour)
  const weekdayOf = (ms: number) => new Date(ms).getUTCDay() || 7
  return {
    minuteOfDay: (local / 60_000) % 1440,
    weekday: weekdayOf(local),
    shopWeekday: weekdayOf(local - shopDayStartHour * hour),
  }
}

/** 1: 06:00 to 14:00; 2, optional: 14:00 to 22:00; 3: Friday and Saturday 22:00 to 02:00; otherwise none. */
function shiftAt({ minuteOfDay, weekday }: LocalTime): number {
  if (minuteOfDay >= 360 && minuteOfDay < 840) return 1
  if (minuteOfDay >= 840 && minuteOfDay < 1320) return 2
  if (minuteOfDay >= 1320) return weekday === 5 || weekday === 6 ? 3 : 0
  return minuteOfDay < 120 && (weekday === 6 || weekday === 7) ? 3 : 0
}

interface Moment {
  readonly isIn: boolean
  readonly holds: boolean
  /** For `silent`: a sample other than a heartbeat. */
  readonly isCut: boolean
}

function momentAt(plant: Plant, { condition, when }: PlantRule, at: number, gaps: Gaps): Moment {
  const { samples, run, staleMinutes, decommissioned } = plant
  if (decommissioned !== null && at >= decommissioned) return { isIn: false, holds: false, isCut: false }
  const before = samples.filter(sample => sample.at <= at)
  const time = localTime(at)
  const shift = shiftAt(time)
  const hasRun = run.start <= at && at < run.end
  const scheduled = shift === 1 || shift === 3 || (shift === 2 && hasRun)
  const lastSeen = before.at(-1)?.at
  const isStale = staleMinutes !== null && lastSeen !== undefined && at >= lastSeen + staleMinutes
  const execution = before.findLast(sample => sample.kind === 'execution')
  const word = execution?.kind === 'execution' ? execution.value : 'UNAVAILABLE'
  const inCycle = !isStale && word === 'ACTIVE'
  const alarms = activeAlarms(before)
  const hasFault = alarms.some(alarm => alarm.level === 'FAULT')
  const status =
    isStale || word === 'UNAVAILABLE' ? 'UNAVAILABLE' : hasFault ? 'FAULT' : inCycle ? 'ACTIVE' : 'INACTIVE'
  const annotation = plant.annotations.find(({ start, end }) => start <= at && at < end)
  const reason = annotation?.reason ?? (hasRun && at < run.production ? 'setup' : 'uncategorized')
  const sent = before.filter(sample => sample.kind !== 'heartbeat')
  const isSent = sent.at(-1)?.at === at
  const isInGap =
    'silent' in condition && gaps.some(([start, end]) => start <= at && (at < end || (at === end && !isSent)))
  const isIn =
    !isInGap &&
    (when.scheduled === null || when.scheduled === scheduled) &&
    (when.shifts.length === 0 || when.shifts.includes(`shift-${shift}`)) &&
    (when.days.length === 0 || when.days.includes(time.shopWeekday))
  if ('silent' in condition) return { isIn, holds: sent.length > 0, isCut: isSent }
  if ('status' in condition) return { isIn, holds: condition.status.includes(status), isCut: false }
  if ('stop' in condition) {
    const { reasons } = condition.stop
    return { isIn, holds: scheduled && !inCycle && (reasons.length === 0 || reasons.includes(reason)), isCut: false }
  }
  const { nativeCodes, states, text } = condition.alarm
  const holds = alarms.some(
    ({ code, level, message }) =>
      (nativeCodes.length === 0 || nativeCodes.includes(code)) &&
      (states.length === 0 || (level !== 'NORMAL' && states.includes(level))) &&
      message.toUpperCase().includes(text.toUpperCase()),
  )
  return { isIn, holds, isCut: false }
}

type Alarm = Extract<PlantSample, { kind: 'condition' }>

function activeAlarms(samples: readonly PlantSample[]): readonly Alarm[] {
  const active = new Map<string, Alarm>()
  for (const sample of samples) {
    if (sample.kind !== 'condition') continue
    if (sample.level === 'NORMAL') active.delete(sample.code)
    else if (active.get(sample.code)?.level !== sample.level) active.set(sample.code, sample)
  }
  return [...active.values()]
}

/**
 * Returns the spans of a rule, as known from the samples before `limit`. In gaps of the evaluation, and in the minute
 * after them without a sample, silence does not count.
 */
export function naiveSpans(plant: Plant, rule: PlantRule, limit = plantMinutes, gaps: Gaps = []): readonly NaiveSpan[] {
  const spans: NaiveSpan[] = []
  let held: { since: number; counted: number } | null = null
  let isOpen = false
  let breakSince: number | null = null
  for (let at = 0; at <= limit; at++) {
    // At the limit, only a break can end.
    const moment = at < limit ? momentAt(plant, rule, at, gaps) : null
    const last = spans.at(-1)
    if (moment && (!moment.holds || moment.isCut)) held = null
    if (moment?.holds && !held) held = { since: at, counted: 0 }
    if (isOpen && last) {
      const confirmed = 'silent' in rule.condition ? rule.forMinutes : 0
      const isHeld = moment ? held !== null && !(moment.isCut && confirmed > 0) : breakSince === null
      const resumes = held !== null && at >= held.since + confirmed
      if (!isHeld || (breakSince !== null && !resumes)) breakSince ??= at
      if (breakSince !== null && at - breakSince >= rule.resolveAfterMinutes) {
        last.end = breakSince
        isOpen = false
        breakSince = null
      } else if (breakSince !== null && resumes && moment) breakSince = null
    }
    if (!moment || !held) continue
    if (!isOpen && moment.isIn && held.counted >= rule.forMinutes && at >= rule.activeFrom) {
      const previous = spans.at(-1)
      if (previous && previous.end !== null && held.since - previous.end < rule.quietMinutes) {
        previous.end = null
        previous.reopened.push({ started: held.since, opened: at })
      } else spans.push({ started: held.since, opened: at, end: null, reopened: [] })
      isOpen = true
    }
    if (moment.isIn) held.counted++
  }
  return spans
}
