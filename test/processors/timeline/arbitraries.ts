import * as fc from 'fast-check'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import type { Sample, ActivityMinute } from '../../../schema/sample.ts'
import type { CalendarSpan } from '../../../processors/calendar/types.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import { condition, execution, minute, parts, sample, startMs } from './support.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

/** Number of hours across which the random samples and records are spread. */
export const spreadHours = 4
const spreadMs = spreadHours * hourMs

/** Instants that often coincide: full hours, minutes, and a few milliseconds and microseconds around them. */
function anyOffsetMs(): fc.Arbitrary<number> {
  return fc
    .tuple(fc.integer({ min: 0, max: spreadHours * 60 - 1 }), fc.constantFrom(0, 0, 0, 0.001, 1, 59_999, 59_999.999))
    .map(([minutes, ms]) => Math.min(minutes * minute + ms, spreadMs - 0.001))
}

const levels = fc.constantFrom('NORMAL', 'NORMAL', 'WARNING', 'FAULT', 'UNAVAILABLE')
const words = fc.constantFrom(
  'ACTIVE',
  'active',
  'WAIT',
  'READY',
  'FEED_HOLD',
  'INTERRUPTED',
  'PROGRAM_COMPLETED',
  'STOPPED',
  'UNAVAILABLE',
)

export function anySample(): fc.Arbitrary<Sample> {
  const at = anyOffsetMs()
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(at, words, fc.constantFrom('path1', 'path2')).map(args => execution(...args)) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(at, levels, fc.constantFrom('', 'a', 'b'), fc.constantFrom('', 'x', 'y'), fc.constantFrom('sys', 'axis'))
        .map(args => condition(...args)),
    },
    {
      weight: 8,
      arbitrary: fc
        .tuple(
          at,
          fc.oneof(
            { weight: 5, arbitrary: fc.integer({ min: 0, max: 60 }).map(String) },
            fc.constantFrom('2000', '2000', '-1', 'UNAVAILABLE', 'x'),
          ),
        )
        .map(([ms, value]) => parts(ms, value)),
    },
    fc
      .tuple(at, fc.constantFrom('0', '0.5', '-3000', 'UNAVAILABLE', 'bad'), fc.constantFrom('', 'ACTUAL', 'COMMANDED'))
      .map(([ms, value, subtype]) => sample(ms, 'ROTARY_VELOCITY', value, { subtype, key: 'S1' })),
    fc.tuple(at, fc.constantFrom('true', 'OFF', 'UNAVAILABLE')).map(([ms, value]) => sample(ms, 'CUTTING', value)),
    fc
      .tuple(at, fc.constantFrom('3', '0', 'UNAVAILABLE', 'x'))
      .map(([ms, value]) => sample(ms, 'LOAD', value, { key: 'Load' })),
    fc
      .tuple(at, fc.constantFrom('TRIGGERED', 'ARMED', 'ARMED', 'ARMED'))
      .map(([ms, value]) => sample(ms, 'EMERGENCY_STOP', value)),
  )
}

/** Samples of a few busy hours, in any order. */
export function anySamples(): fc.Arbitrary<Sample[]> {
  return fc.array(anySample(), { minLength: 5, maxLength: 80, size: 'max' })
}

/** Returns samples, and the same samples shuffled and with copies. */
export function anyArrival(samples: readonly Sample[]): fc.Arbitrary<readonly [readonly Sample[], readonly Sample[]]> {
  return fc
    .subarray([...samples])
    .map(copied => samples.concat(copied.map(sample => Object.assign({}, sample))))
    .chain(all => fc.shuffledSubarray(all, { minLength: all.length }))
    .map(arrived => [samples, arrived] as const)
}

/** Activity minutes: minutes with samples of keys that no processor needs. */
export function anySeen(): fc.Arbitrary<ActivityMinute[]> {
  return fc.uniqueArray(fc.integer({ min: 0, max: spreadHours * 60 - 1 }), { maxLength: 30 }).map(minutes =>
    minutes
      .sort((a, b) => a - b)
      .map(index => ({
        machineRef: asMachineRef(1),
        firstMs: startMs + index * minute + 7,
        lastMs: startMs + index * minute + 40_000,
      })),
  )
}

/** Ascending pairs of distinct instants (ms): intervals without overlap. */
function anyDisjoint(): fc.Arbitrary<{ startMs: number; endMs: number }[]> {
  return fc.uniqueArray(anyOffsetMs().map(Math.floor), { maxLength: 8 }).map(offsets => {
    const bounds = offsets.sort((a, b) => a - b).map(offset => startMs + offset)
    return bounds.flatMap((bound, index) => {
      const endMs = bounds[index + 1]
      return index % 2 === 0 ? [{ startMs: bound, endMs: endMs ?? Infinity }] : []
    })
  })
}

const anyRuns = anyDisjoint().chain(spans =>
  fc.tuple(
    ...spans.map((span, index) =>
      fc
        .tuple(fc.boolean(), fc.option(anyOffsetMs().map(offset => startMs + Math.floor(offset))))
        .map(([startInSetup, productionMs]) => Object.assign({ run: index + 1, startInSetup, productionMs }, span)),
    ),
  ),
)

const anyCalendar = anyDisjoint().map(shifts => (fromMs: number, toMs: number): CalendarSpan[] => {
  const bounds = new Set([fromMs, toMs])
  for (let cutMs = startMs; cutMs < toMs; cutMs += hourMs / 2) bounds.add(cutMs)
  for (const shift of shifts) bounds.add(shift.startMs).add(shift.endMs)
  const inRange = [...bounds].filter(bound => bound >= fromMs && bound <= toMs).sort((a, b) => a - b)
  return inRange.slice(0, -1).map((bound, index) => {
    const number = shifts.findIndex(shift => shift.startMs <= bound && bound < shift.endMs)
    const optional = number % 3 === 1
    return {
      startMs: bound,
      endMs: inRange[index + 1] ?? toMs,
      cellMs: slotOf(bound) + (bound % hourMs >= hourMs / 2 ? hourMs / 2 : 0),
      shift: number + 1,
      optional,
      nonOptional: number >= 0 && !optional,
    }
  })
})

/** Machines of all kinds: settings, calendars, runs, operators, annotations and adjustments. */
export function anyInputs(): fc.Arbitrary<MachineInputs> {
  return fc.record({
    companyRef: fc.constant(asCompanyRef(1)),
    machineRef: fc.constant(asMachineRef(1)),
    settings: fc.record({
      maxPartJump: fc.constantFrom(1000, 20),
      maxResetParts: fc.constantFrom(10, 4),
      spindleAbove: fc.constantFrom(0, 1),
      partCounter: fc.constantFrom('counter', 'increment', 'cycle', 'program', 'none'),
      partCountKey: fc.constantFrom(null, null, null, 'Path1'),
      staleAfterMs: fc.constantFrom(null, minute, 5 * minute, 90 * minute),
      cutSignal: fc.constantFrom(null, { key: 'load', above: 2 }),
    }),
    commissioned: fc.record({
      fromMs: fc.option(anyOffsetMs().map(offset => startMs + Math.floor(offset))),
      createdMs: anyOffsetMs().map(offset => startMs + Math.floor(offset)),
      toMs: fc.option(anyOffsetMs().map(offset => startMs + Math.floor(offset) + hourMs)),
    }),
    scheduledBy: fc.constantFrom('shift' as const, 'job' as const),
    autoProduction: fc.boolean(),
    calendar: anyCalendar,
    runs: anyRuns,
    operators: fc
      .array(fc.tuple(fc.integer({ min: 1, max: 3 }), anyOffsetMs(), fc.integer({ min: 0, max: 3 * hourMs })), {
        maxLength: 5,
      })
      .map(list =>
        list
          .map(([operator, offset, length]) => {
            const fromMs = startMs + Math.floor(offset)
            return { operator, startMs: fromMs, endMs: fromMs + length }
          })
          .sort((a, b) => a.startMs - b.startMs),
      ),
    annotations: anyDisjoint().map(spans => spans.map((span, index) => ({ ...span, reason: 1 + (index % 2) }))),
    adjustments: fc
      .array(anyOffsetMs(), { maxLength: 4 })
      .map(offsets =>
        offsets
          .map(offset => ({ atMs: startMs + Math.floor(offset), count: -2, scrap: 2, nonconform: 1, type: 0 }))
          .sort((a, b) => a.atMs - b.atMs),
      ),
  })
}
