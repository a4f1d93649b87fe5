import type { RuleTrial } from '../../../schema/requests/rule-trial.ts'
import { type DayRule, shopDate } from '../../time/shop-date.ts'
import { addDays, instantOf } from '../../time/wall-time.ts'

type TriedIncident = RuleTrial['incidents'][number]

/** Number of shop days of a trial; the current day is the last. */
const trialDays = 7

/** The range of a trial at a moment (UTC ms): its shop dates, and its bounds as instants. */
export function trialRange(rule: DayRule, nowMs: number) {
  const today = shopDate(nowMs, rule)
  const dates = Array.from({ length: trialDays }, (_, index) => addDays(today, index + 1 - trialDays))
  const startMs = instantOf(`${dates[0] ?? today}T${rule.startOfDay}`, rule.timeZone)
  return { dates, start: new Date(startMs).toISOString(), end: new Date(nowMs).toISOString() }
}

/** Returns the number of incidents that opened on each of the shop dates. */
export function countByDate(
  incidents: readonly TriedIncident[],
  dates: readonly string[],
  rule: DayRule,
): readonly { readonly date: string; readonly count: number }[] {
  const counts = new Map(dates.map(date => [date, 0]))
  for (const { openedAt } of incidents) {
    const date = shopDate(Date.parse(openedAt), rule)
    counts.set(date, (counts.get(date) ?? 0) + 1)
  }
  return Array.from(counts, ([date, count]) => ({ date, count }))
}

/** The notices of an incident for one target. */
interface TargetNotices {
  readonly targetId: string
  /** Time of the first one. */
  readonly at: string
  readonly count: number
}

/** Returns the notices by target, in the order of the first ones. */
export function noticesByTarget(notices: TriedIncident['notices']): readonly TargetNotices[] {
  const found = new Map<string, TargetNotices>()
  for (const { targetId, at } of notices) {
    const before = found.get(targetId)
    found.set(targetId, { targetId, at: before?.at ?? at, count: (before?.count ?? 0) + 1 })
  }
  return [...found.values()]
}
