/* oxlint-disable oxc/no-map-spread -- mostly the map of an arbitrary, not of an array */
import * as fc from 'fast-check'
import { isInvalid, readSample } from '../../../ingest/decode/fields.ts'
import { isStateSample, namedKeys } from '../../../processors/timeline/state-samples.ts'
import { sortAndDeduplicate } from '../../../processors/timeline/order.ts'
import type { StateSettings } from '../../../schema/records/machine.ts'
import { type HourDocument, type Status } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { Sample, ActivityMinute } from '../../../schema/sample.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { aMachine, aPlant } from '../../oracle/build.ts'
import { oracleAlarms, oracleStates } from '../../oracle/oracle.ts'
import { forAll } from '../../support/for-all.ts'
import { compute, defaultSettings, inputsOf, minute, startMs, throughText } from './support.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const hours = 3
const endMs = startMs + hours * hourMs

/**
 * Instants, ms after the start: either about as far apart as the staleness limit, or close together around the end of
 * an hour.
 */
const anyInstant = fc
  .tuple(fc.constantFrom(0, 30, 59, 60, 61, 62, 119, 120, 121, 122), fc.constantFrom(0, 0, 1, 59_999))
  .map(([minutes, ms]) => minutes * minute + ms)

const words = ['ACTIVE', 'ACTIVE', 'WAIT', 'READY', 'READY', 'FEED_HOLD', 'PROGRAM_COMPLETED', 'UNAVAILABLE'] as const
const counts = [0, 1, 3, 7, 8, 12, 40, 41, 43, 2000, 'x', 'UNAVAILABLE'] as const

type Metric = readonly [key: string, type: string, values: readonly (string | number)[]]
const metrics: readonly Metric[] = [
  ['path1', 'EXECUTION', words],
  ['path1', 'EXECUTION', words],
  ['path2', 'EXECUTION', words],
  ['Path_2', 'Execution', words],
  ['parts', 'PART_COUNT', counts],
  ['parts', 'PART_COUNT', counts],
  ['load', 'LOAD', [1, 2, 3, 'UNAVAILABLE', 'x']],
  ['speed', 'SPINDLE_SPEED', [0, 0.5, -1, 3000, 'UNAVAILABLE', 'x']],
  ['cut', 'CUTTING', ['true', 'OFF', 'UNAVAILABLE']],
  ['SYS', 'SYSTEM', ['NORMAL', 'WARNING', 'FAULT', 'UNAVAILABLE']],
  ['SYS', 'SYSTEM', ['Normal', 'Fault']],
  ['stop', 'EMERGENCY_STOP', ['TRIGGERED', 'ARMED', 'ARMED']],
  ['temp', 'TEMPERATURE', [20, 21]],
]

const anyMetric = fc.constantFrom(...metrics).chain(([key, type, values]) =>
  fc.record({
    key: fc.constant(key),
    type: fc.constant(type),
    value: fc.constantFrom(...values),
    nativeCode: type === 'SYSTEM' ? fc.constantFrom('', 'A', 'B') : fc.constant(''),
    sequence: fc.option(fc.nat(30), { freq: 3 }),
  }),
)

const anySample: fc.Arbitrary<Omit<WireSample, 'machineId' | 'timestamp'>> = anyMetric.map(
  ({ key, type, value, nativeCode, sequence }) => ({
    key,
    type,
    value,
    ...(nativeCode !== '' && { nativeCode }),
    ...(sequence !== null && { instanceId: 1, sequence }),
  }),
)

/** Samples at few instants, so that many changes coincide. */
const anySamples: fc.Arbitrary<readonly WireSample[]> = fc
  .array(anyInstant, { minLength: 2, maxLength: 6, size: 'max' })
  .chain(instants => {
    const anyUs = fc
      .tuple(fc.constantFrom(...instants), fc.constantFrom(0, 200, 200, 400, 999))
      .map(([ms, us]) => ms * 1000 + us)
    const timed = fc
      .tuple(anyUs, anySample)
      .map(([us, sample]) => Object.assign({ machineId: 'm1', timestamp: written(us) }, sample))
    return fc.array(timed, { minLength: 2, maxLength: 24, size: 'max' })
  })

function written(us: number): string {
  const text = new Date(startMs + Math.floor(us / 1000)).toISOString().slice(0, -1)
  return `${text}${String(us % 1000).padStart(3, '0')}Z`
}

const anySettings: fc.Arbitrary<StateSettings> = fc.record({
  partCounter: fc.constantFrom('cycle', 'cycle', 'program', 'counter', 'increment'),
  partCountKey: fc.constantFrom(null, null, 'Path1', 'load'),
  maxPartJump: fc.constantFrom(defaultSettings.maxPartJump, 5),
  maxResetParts: fc.constant(defaultSettings.maxResetParts),
  staleAfterMs: fc.constantFrom(null, minute, 30 * minute),
  cutSignal: fc.constantFrom(null, { key: 'load', above: 2 }),
  spindleAbove: fc.constantFrom(0, 1),
})

/** States, parts and alarms as strings, in the same form for the hourly documents and for the naive recomputation. */
interface Story {
  readonly states: readonly string[]
  readonly parts: readonly string[]
  readonly alarms: readonly string[]
}

/** Returns each sample as ingest decodes it, once; copies are identified by the same function as in the store. */
function decoded(wire: readonly WireSample[]): readonly Sample[] {
  const samples = wire.map(raw => {
    const sample = readSample(raw, asMachineRef(1))
    if (isInvalid(sample)) throw new Error(sample.join())
    return sample
  })
  return sortAndDeduplicate(samples)
}

function seenIn(samples: readonly Sample[]): ActivityMinute[] {
  const minutes = new Map<number, ActivityMinute>()
  for (const { atUs } of samples) {
    const atMs = Math.floor(atUs / 1000)
    const index = Math.floor(atMs / minute)
    const { firstMs } = minutes.get(index) ?? { firstMs: atMs }
    minutes.set(index, { machineRef: asMachineRef(1), firstMs, lastMs: atMs })
  }
  return [...minutes.values()]
}

function productStory(settings: StateSettings, wire: readonly WireSample[]): Story {
  const samples = decoded(wire)
  const named = namedKeys(settings)
  const deciding = samples.filter(sample => isStateSample(sample, named))
  const documents = compute(inputsOf(settings), deciding, { hours, seen: seenIn(samples), carry: throughText })
  return {
    states: merged(documents.flatMap(({ slotMs, segments }) => segments.map(it => stateAt(slotMs + it.start, it)))),
    parts: documents.flatMap(({ slotMs, parts }) => parts.map(it => `${short(slotMs + it.at)} ${it.parts}`)),
    alarms: alarmsIn(documents),
  }
}

function alarmsIn(documents: readonly HourDocument[]): readonly string[] {
  const alarms = documents.flatMap((document, index) =>
    document.alarms
      .filter(({ endMs: ends }) => ends !== null || index === documents.length - 1)
      .map(it => alarm(it.level, it.key, it.nativeCode, it.startMs, it.endMs)),
  )
  return alarms.sort()
}

function naiveStory(settings: StateSettings, wire: readonly WireSample[]): Story {
  const plant = aPlant({ machines: [aMachine(settings)], samples: wire, nowMs: endMs })
  const history = oracleStates(plant)['m1']
  const silent = { status: 'UNAVAILABLE', inCycle: false, spindle: false, cut: false } as const
  return {
    states: merged([stateAt(startMs, silent), ...(history?.steps ?? []).map(it => stateAt(it.startMs, it))]),
    parts: perMillisecond(history?.additions ?? []),
    alarms: (oracleAlarms(plant)['m1'] ?? [])
      .map(it => alarm(it.state, it.key, it.nativeCode, it.startMs, it.endMs))
      .sort(),
  }
}

function perMillisecond(additions: readonly { readonly atMs: number; readonly parts: number }[]): readonly string[] {
  const sums = new Map<number, number>()
  for (const { atMs, parts } of additions) sums.set(atMs, (sums.get(atMs) ?? 0) + parts)
  return [...sums].filter(([, parts]) => parts !== 0).map(([atMs, parts]) => `${short(atMs)} ${parts}`)
}

interface State {
  readonly status: Status
  readonly inCycle: boolean
  readonly spindle: boolean
  readonly cut: boolean
}

interface StateAt {
  readonly atMs: number
  readonly state: string
}

function stateAt(atMs: number, { status, inCycle, spindle, cut }: State): StateAt {
  return { atMs, state: [status, inCycle && 'cycle', spindle && 'spindle', cut && 'cut'].filter(Boolean).join(' ') }
}

/** Returns one line for each change of state; of several changes at one instant, the last one. */
function merged(states: readonly StateAt[]): readonly string[] {
  const atOnce = states.filter(({ atMs }, index) => states[index + 1]?.atMs !== atMs)
  const changes = atOnce.filter(({ state }, index) => atOnce[index - 1]?.state !== state)
  return changes.map(({ atMs, state }) => `${short(atMs)} ${state}`)
}

function alarm(level: string, key: string, code: string, fromMs: number, toMs: number | null): string {
  return `${short(fromMs)} – ${toMs === null ? '' : short(toMs)} ${level} ${key} ${code}`
}

/** Returns the lines that only one of the two contains. */
function differences(product: Story, naive: Story): readonly string[] {
  return (['states', 'parts', 'alarms'] as const).flatMap(part => {
    const onlyProduct = product[part].filter(line => !naive[part].includes(line))
    const onlyNaive = naive[part].filter(line => !product[part].includes(line))
    return onlyProduct.map(line => `${part}, product: ${line}`).concat(onlyNaive.map(line => `${part}, naive: ${line}`))
  })
}

const short = (atMs: number) => new Date(atMs).toISOString().slice(11, 23)

/** Values of a counter in operation: it rises, repeats, is reset or corrected, becomes unavailable, dips and jumps. */
const anyCounterValues: fc.Arbitrary<readonly (number | string)[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom('rise', 'rise', 'rise', 'repeat', 'reset', 'correct', 'dip', 'spike', 'text', 'any'),
      fc.constantFrom(0, 1, 2, 4, 5, 6, 50, 1000, 1001),
    ),
    { minLength: 2, maxLength: 12, size: 'max' },
  )
  .map(steps => {
    let count = 20
    return steps.flatMap(([kind, by]): readonly (number | string)[] => {
      switch (kind) {
        case 'rise':
          return [(count += by)]
        case 'repeat':
          return [count, count]
        case 'reset':
          return [(count = by)]
        case 'correct':
          return [(count = Math.max(0, count - by))]
        case 'dip':
          return [Math.min(by, 8), Math.min(by, 8), count]
        case 'spike':
          return [count + by * 7, count + by * 7, count]
        case 'text':
          return ['UNAVAILABLE', 'x']
        case 'any':
        default:
          return [by]
      }
    })
  })

const counterKeys = [
  { key: 'parts', type: 'PART_COUNT' },
  { key: 'Parts_2', type: 'PartCount', subtype: 'ALL' },
  { key: 'bad', type: 'PART_COUNT', subtype: 'BAD' },
] as const

const anyCounterSettings: fc.Arbitrary<StateSettings> = fc.record({
  partCounter: fc.constantFrom('counter', 'counter', 'counter', 'increment'),
  partCountKey: fc.constantFrom(null, null, 'PARTS', 'bad'),
  maxPartJump: fc.constantFrom(1000, 5, 5, 50, 2),
  maxResetParts: fc.constantFrom(10, 10, 4, 0),
  staleAfterMs: fc.constant(null),
  cutSignal: fc.constant(null),
  spindleAbove: fc.constant(1),
})

/** Series of several counters whose values are often at the ends of hours. */
const anyCounterSamples: fc.Arbitrary<readonly WireSample[]> = fc
  .tuple(
    ...counterKeys.map(names =>
      fc
        .tuple(anyCounterValues, fc.array(fc.constantFrom(0, 1, 7, 20, 60), { minLength: 1, maxLength: 5 }))
        .map(([values, gaps]) => {
          let ms = 0
          return values.map((value, index) => {
            ms = Math.min(ms + (gaps[index % gaps.length] ?? 0) * minute, endMs - startMs - minute)
            return Object.assign({ machineId: 'm1', timestamp: written(ms * 1000 + index), value }, names)
          })
        }),
    ),
  )
  .map(series => series.flat())

/** Returns all samples twice, in the order of `ranks`. */
function shuffled(wire: readonly WireSample[], ranks: readonly number[]): readonly WireSample[] {
  const ranked = [...wire, ...wire].map((sample, index) => ({ sample, rank: ranks[index % ranks.length] ?? 0 }))
  return ranked.sort((a, b) => a.rank - b.rank).map(({ sample }) => sample)
}

describe('hours of a machine with counter glitches', () => {
  it('Parts equal a naive recomputation, in any arrival order and with copies', () =>
    forAll(
      fc.property(
        anyCounterSettings,
        anyCounterSamples,
        fc.array(fc.nat(), { minLength: 1, maxLength: 50 }),
        (settings, wire, ranks) => {
          const found = differences(productStory(settings, shuffled(wire, ranks)), naiveStory(settings, wire))
          if (found.length > 0) throw new Error(found.join('\n'))
        },
      ),
      { numRuns: 500, shrinks: true },
    ))
})

describe('hours of a machine with simultaneous changes', () => {
  it('States, parts and alarms equal a naive recomputation', () =>
    forAll(
      fc.property(anySettings, anySamples, (settings, wire) => {
        const found = differences(productStory(settings, wire), naiveStory(settings, wire))
        if (found.length > 0) throw new Error(found.join('\n'))
      }),
      { numRuns: 1000, shrinks: true },
    ))
})
