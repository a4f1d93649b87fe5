import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { silences } from '../holds/silence.ts'
import type { Interval } from '../intervals/interval.ts'
import type { MachineActivity } from './known-activity.ts'
import { toKnown } from './known-incident.ts'

/** Minimum time by which the known activity grows: most machines send a sample in it. */
const firstStepMs = 5 * minuteMs

type SilenceRule = Pick<AlertRuleRecord, 'forMs' | 'quietMs' | 'resolveAfterMs'>

/** Returns the silences that are long enough for a rule before `limitMs`: shorter ones decide nothing. */
export function longSilences({ forMs }: Pick<SilenceRule, 'forMs'>, holds: readonly Interval[], limitMs: number) {
  return holds.filter(({ startMs, endMs }) => Math.min(endMs, limitMs) - startMs > forMs)
}

/**
 * Returns the instant from which on the activity of a machine must be known to evaluate a rule on silence, UTC ms, not
 * before `earliestMs`: no incident to match, no silence that may continue one, and no sample that may have arrived late is
 * before the first known sample.
 */
export function findNeededActivity(
  rule: SilenceRule,
  incidents: readonly IncidentRecord[],
  { activity, activityFromMs, lateSampleMs }: MachineActivity,
  limitMs: number,
  earliestMs: number,
): number {
  if (activityFromMs <= earliestMs) return activityFromMs
  const firstMs = activity[0]?.firstMs ?? limitMs
  const continuedMs = findContinued(rule, longSilences(rule, silences(activity), limitMs), firstMs)
  const cut = incidents
    .map(toKnown)
    .filter(
      ({ state, startedMs, endedMs }) =>
        state !== 'retracted' && startedMs < firstMs && endedMs > Math.min(firstMs, lateSampleMs),
    )
  const isLate = lateSampleMs < firstMs
  if (continuedMs === null && !isLate && cut.length === 0) return activityFromMs
  const stepMs = Math.max(firstStepMs, (continuedMs ?? firstMs) - activityFromMs)
  const longerMs = Math.min(activityFromMs, lateSampleMs) - stepMs
  return Math.max(earliestMs, Math.min(longerMs, ...cut.map(({ startedMs }) => startedMs)))
}

/**
 * Returns the start of the last silence of those that belong together and may continue one from before the first known
 * sample, UTC ms; null: none may. `long`: the silences of sufficient length.
 */
function findContinued(
  { quietMs, resolveAfterMs }: SilenceRule,
  long: readonly Interval[],
  firstMs: number,
): number | null {
  const joinedMs = Math.max(quietMs, resolveAfterMs)
  let found: Interval | null = null
  for (const silence of long) {
    if (silence.startMs - (found?.endMs ?? firstMs) >= joinedMs) break
    found = silence
  }
  return found?.startMs ?? null
}
