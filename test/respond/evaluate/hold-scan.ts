import * as fc from 'fast-check'
import type { IncidentRecord } from '../../../schema/records/incident.ts'
import { secondMs } from '../../../shared/time/units.ts'

interface Expected {
  readonly started: number
  readonly opened: number
  ended: number
  reopened: number
}

export interface RuleSeconds {
  readonly forS: number
  readonly resolveAfterS: number
  readonly quietS: number
}

/** Returns the times of a rule as its record has them. */
export function ruleTimes({ forS, resolveAfterS, quietS }: RuleSeconds) {
  return { forMs: forS * secondMs, resolveAfterMs: resolveAfterS * secondMs, quietMs: quietS * secondMs }
}

/** Returns the incidents of holds, which are [start, end] in seconds, in order; shares no code with the product. */
export function scanHolds(holds: Holds, { forS, resolveAfterS, quietS }: RuleSeconds) {
  const found: Expected[] = []
  for (const [start, end] of holds) {
    const last = found.at(-1)
    const breakS = last ? start - last.ended : Infinity
    if (last && breakS < resolveAfterS) last.ended = end
    else if (end - start <= forS) continue
    else if (last && breakS < quietS) {
      last.ended = end
      last.reopened++
    } else found.push({ started: start, opened: start + forS, ended: end, reopened: 0 })
  }
  return found
}

/** [start, end] in seconds, in order. */
export type Holds = readonly (readonly [number, number])[]

/** Holds with their number of incidents, because random ones may have none. */
export const knownHolds: readonly { holds: Holds; rule: RuleSeconds; incidents: number }[] = [
  {
    holds: [
      [5, 20],
      [30, 40],
      [60, 63],
    ],
    rule: { forS: 3, resolveAfterS: 4, quietS: 0 },
    incidents: 2,
  },
  {
    holds: [
      [5, 10],
      [15, 25],
      [45, 50],
    ],
    rule: { forS: 0, resolveAfterS: 0, quietS: 10 },
    incidents: 2,
  },
]

export const anyHolds = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 8 })
  .map(parts => {
    let at = 1
    return parts.map(([before, length]): readonly [number, number] => {
      const start = at + before
      at = start + length
      return [start, at]
    })
  })

export const anyHoldRule = fc.record({
  forS: fc.constantFrom(0, 0, 3, 8),
  resolveAfterS: fc.constantFrom(0, 0, 4),
  quietS: fc.constantFrom(0, 0, 10),
})

/**
 * Returns the incidents of holds whose starts nothing records: after a restart, a hold without an incident begins again,
 * and so does a break. Visits every second; shares no code with the product.
 */
export function scanValues(
  holds: Holds,
  { forS, resolveAfterS, quietS }: RuleSeconds,
  restarts: readonly number[],
): readonly Expected[] {
  const found: Expected[] = []
  let isOpen = false
  let held: number | null = null
  let broken: number | null = null
  for (let second = 1; second <= (holds.at(-1)?.[1] ?? 0) + 10; second++) {
    if (restarts.includes(second)) held = broken = null
    const last = found.at(-1)
    if (!isOpen && held !== null && second > held + forS) {
      isOpen = true
      if (last && held - last.ended < quietS) {
        last.ended = NaN
        last.reopened++
      } else found.push({ started: held, opened: held + forS, ended: NaN, reopened: 0 })
    }
    const isHeld = holds.some(([start, end]) => start <= second && second < end)
    held = isHeld ? (held ?? second) : null
    const current = found.at(-1)
    if (!isOpen || !current) continue
    if (!isHeld) broken ??= second
    if (broken !== null && second > broken && second - broken >= resolveAfterS) {
      current.ended = broken
      isOpen = false
    }
    if (isHeld || !isOpen) broken = null
  }
  return found
}

/** Returns the times of incidents in seconds after an instant, in order. */
export function timesOf(incidents: readonly IncidentRecord[], startMs: number): readonly Expected[] {
  const toSeconds = (at: string | null) => (Date.parse(at ?? '') - startMs) / secondMs
  return incidents
    .map(({ startedAt, openedAt, endedAt, reopened }) => ({
      started: toSeconds(startedAt),
      opened: toSeconds(openedAt),
      ended: toSeconds(endedAt),
      reopened,
    }))
    .toSorted((a, b) => a.started - b.started)
}
