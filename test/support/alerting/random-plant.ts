import * as fc from 'fast-check'
import { minute } from '../../processors/timeline/support.ts'
import type { MachineCondition } from '../../../schema/records/alert-condition.ts'
import type { AlertWhen } from '../../../schema/records/alert-rule.ts'

/**
 * A machine over three days around a change of the clocks in Berlin. All times are minutes from `plantStartMs`, so that
 * a naive scan can visit every instant at which something may change.
 */
export const plantStartMs = Date.UTC(2026, 2, 27, 6)
export const plantMinutes = 3 * 24 * 60
/** The clocks change at 01:00 UTC, from UTC+1 to UTC+2. */
export const clocksChangeMs = Date.UTC(2026, 2, 29, 1)
export const shopDayStartHour = 6

export type PlantSample =
  | { readonly at: number; readonly kind: 'execution'; readonly value: string }
  | {
      readonly at: number
      readonly kind: 'condition'
      readonly level: 'NORMAL' | 'WARNING' | 'FAULT'
      readonly code: string
      readonly message: string
    }
  | { readonly at: number; readonly kind: 'load' | 'heartbeat' }

export interface PlantAnnotation {
  readonly reason: number
  readonly start: number
  readonly end: number
}

export interface Plant {
  readonly samples: readonly PlantSample[]
  readonly annotations: readonly PlantAnnotation[]
  /** Job run: in setup until `production`. */
  readonly run: { readonly start: number; readonly production: number; readonly end: number }
  readonly staleMinutes: number | null
  readonly decommissioned: number | null
}

export interface PlantRule {
  readonly condition: MachineCondition
  readonly when: AlertWhen
  readonly forMinutes: number
  readonly resolveAfterMinutes: number
  readonly quietMinutes: number
  readonly activeFrom: number
}

export const toMs = (minutes: number) => plantStartMs + minutes * minute

const anyMinute = fc.integer({ min: 1, max: plantMinutes - 1 })
const anySample: fc.Arbitrary<PlantSample> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      at: anyMinute,
      kind: fc.constant('execution' as const),
      value: fc.constantFrom('ACTIVE', 'ACTIVE', 'READY', 'STOPPED', 'UNAVAILABLE'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      at: anyMinute,
      kind: fc.constant('condition' as const),
      level: fc.constantFrom('NORMAL', 'NORMAL', 'WARNING', 'FAULT'),
      code: fc.constantFrom('a', 'b'),
      message: fc.constantFrom('Oil low', 'Door'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ at: anyMinute, kind: fc.constantFrom('load', 'heartbeat') }) },
)

/** Bursts of samples, so that short and long intervals occur. */
const anySamples = fc
  .array(
    fc.tuple(
      anyMinute,
      fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), anySample), { minLength: 1, maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map(bursts =>
    distinct(
      bursts.flatMap(([start, burst]) =>
        burst.map(([after, sample]) => ({ ...sample, at: Math.min(start + after, plantMinutes - 1) })),
      ),
    ),
  )

/** Keeps one sample of each name and minute. */
function distinct(samples: readonly PlantSample[]): readonly PlantSample[] {
  const name = (sample: PlantSample) => `${sample.at} ${sample.kind} ${sample.kind === 'condition' ? sample.code : ''}`
  return [...new Map(samples.map(sample => [name(sample), sample])).values()].toSorted((a, b) => a.at - b.at)
}

const anyAnnotations = fc
  .array(fc.record({ reason: fc.constantFrom(1, 2), start: anyMinute, length: fc.integer({ min: 1, max: 600 }) }), {
    maxLength: 4,
  })
  .map(found =>
    found
      .toSorted((a, b) => a.start - b.start)
      .map(({ reason, start, length }, index, all) => ({
        reason,
        start,
        end: Math.min(start + length, all.toSorted((a, b) => a.start - b.start)[index + 1]?.start ?? Infinity),
      }))
      .filter(({ start, end }) => start < end),
  )

export const anyPlant: fc.Arbitrary<Plant> = fc.record({
  samples: anySamples,
  annotations: anyAnnotations,
  run: fc
    .tuple(anyMinute, fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 900 }))
    .map(([start, setup, length]) => ({ start, production: start + Math.min(setup, length), end: start + length })),
  staleMinutes: fc.constantFrom(null, null, 30),
  decommissioned: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, anyMinute),
})

const anyCondition: fc.Arbitrary<MachineCondition> = fc.oneof(
  fc.record({
    stop: fc.record({ reasons: fc.constantFrom([], ['uncategorized' as const], [1, 'setup' as const], [2]) }),
  }),
  fc.record({
    status: fc.constantFrom(
      ['FAULT' as const],
      ['INACTIVE' as const, 'UNAVAILABLE' as const],
      ['UNAVAILABLE' as const],
    ),
  }),
  fc.constant({ silent: true as const }),
  fc.record({
    alarm: fc.record({
      nativeCodes: fc.constantFrom([], ['a']),
      states: fc.constantFrom([], ['FAULT' as const]),
      text: fc.constantFrom('', 'OIL'),
    }),
  }),
)

const anyWhen: fc.Arbitrary<AlertWhen> = fc.record({
  scheduled: fc.constantFrom(null, null, true, false),
  shifts: fc.constantFrom([], [], [], ['shift-1'], ['shift-2', 'shift-3']),
  days: fc.constantFrom([], [], [], [6, 7], [5, 1]),
})

export const anyRule: fc.Arbitrary<PlantRule> = fc
  .record({
    condition: anyCondition,
    when: anyWhen,
    forMinutes: fc.constantFrom(0, 1, 5, 20, 120),
    resolveAfterMinutes: fc.constantFrom(0, 0, 3, 15, 60),
    quietMinutes: fc.constantFrom(0, 0, 10, 120),
    activeFrom: fc.oneof({ weight: 3, arbitrary: fc.constant(-1000) }, anyMinute),
  })
  .filter(({ condition, forMinutes }) => !('silent' in condition) || forMinutes > 0)
