/* oxlint-disable oxc/no-map-spread -- mostly the map of an arbitrary, not of an array */
import * as fc from 'fast-check'
import type { WireSample } from '../../schema/topics.ts'
import { arbitraryInstant, nullOr } from './plant-scene.ts'
import type { Scene } from './plant-scene.ts'

/** Samples of one machine (by its number) in quick or slow succession. */
interface Burst {
  readonly machine: number
  readonly startMs: number
  readonly stepUs: number
  readonly sequenced: boolean
  readonly instanceId: number
  /** Number of consecutive entries with one sequence number. */
  readonly sharing: number
  /**
   * Number of the first part: the machine runs programs and counts parts from here on; null: its values are arbitrary.
   */
  readonly firstPart: number | null
  readonly entries: readonly Entry[]
}

interface Entry {
  readonly metric: Metric
  /** Digits of the timestamp below the millisecond; the last digit is truncated. */
  readonly fraction: number
  readonly form: (typeof forms)[number]
  readonly copy: (typeof copies)[number]
}

type Metric = Pick<WireSample, 'key' | 'type' | 'value'> &
  Partial<Pick<WireSample, 'subtype' | 'category' | 'nativeCode' | 'message'>>

const forms = ['ms', 'ms', 'us', 'us', 'digits7', 'offset', 'bare'] as const
const copies = [
  'none',
  'none',
  'none',
  'none',
  'same',
  'otherMessage',
  'otherValue',
  'otherTime',
  'hoursLater',
] as const

const executions = [
  'ACTIVE',
  'ACTIVE',
  'active',
  'WAIT',
  'READY',
  'READY',
  'STOPPED',
  'FEED_HOLD',
  'INTERRUPTED',
  'OPTIONAL_STOP',
  'PROGRAM_STOPPED',
  'PROGRAM_COMPLETED',
  'Program_Completed',
  'UNAVAILABLE',
  'unavailable',
] as const
const counts = [
  0,
  1,
  2,
  3,
  5,
  '7',
  8,
  10,
  11,
  12,
  20,
  50,
  51,
  99,
  '100',
  101,
  900,
  901,
  1000,
  1001,
  1100,
  2001,
  '3.5',
  '1e1',
  'abc',
  'UNAVAILABLE',
  -3,
] as const
const speeds = [0, 0.5, '0.99', 1, -1, -3000, 3000, '120.5', 'x', 'UNAVAILABLE'] as const
const switches = ['true', 'TRUE', 'ACTIVE', 'on', 'false', 'OFF', 'INACTIVE', 'UNAVAILABLE'] as const
const loads = [0, 9.99, 10, 11, '50', 'text', 'UNAVAILABLE'] as const
const levels = ['NORMAL', 'Normal', 'WARNING', 'Warning', 'FAULT', 'Fault', 'UNAVAILABLE'] as const

/** A random observation; the weights favour values that determine state. */
const arbitraryMetric: fc.Arbitrary<Metric> = fc.oneof(
  { weight: 8, arbitrary: metric(['execution', 'Execution', 'exec_2'], ['EXECUTION', 'Execution'], executions) },
  { weight: 5, arbitrary: metric(['parts', 'Parts'], ['PART_COUNT', 'PartCount'], counts) },
  { weight: 3, arbitrary: withSubtype(metric(['parts_sub'], ['part_count'], counts), ['ALL', 'all', 'BAD', 'GOOD']) },
  { weight: 2, arbitrary: metric(['line'], ['LINE'], counts) },
  { weight: 2, arbitrary: metric(['Srpm'], ['ROTARY_VELOCITY', 'SPINDLE_SPEED'], speeds) },
  {
    weight: 2,
    arbitrary: withSubtype(metric(['S2rpm'], ['ROTARY_VELOCITY'], speeds), ['ACTUAL', 'Actual', 'PROGRAMMED']),
  },
  { weight: 1, arbitrary: metric(['turning'], ['SPINDLE_ROTATING'], switches) },
  { weight: 1, arbitrary: metric(['cut'], ['CUTTING'], switches) },
  { weight: 2, arbitrary: metric(['Sload'], ['LOAD'], loads) },
  { weight: 1, arbitrary: metric(['estop'], ['EMERGENCY_STOP'], ['TRIGGERED', 'Triggered', 'ARMED', 'UNAVAILABLE']) },
  { weight: 4, arbitrary: arbitraryCondition() },
  { weight: 2, arbitrary: metric(['temp'], ['TEMPERATURE'], [20, 21.5, 'UNAVAILABLE']) },
)

function metric(
  keys: readonly string[],
  types: readonly string[],
  values: readonly (string | number)[],
): fc.Arbitrary<Metric> {
  return fc.record({
    key: fc.constantFrom(...keys),
    type: fc.constantFrom(...types),
    value: fc.constantFrom(...values),
  })
}

function withSubtype(base: fc.Arbitrary<Metric>, subtypes: readonly string[]): fc.Arbitrary<Metric> {
  return fc.tuple(base, fc.constantFrom(...subtypes)).map(([it, subtype]) => ({ ...it, subtype }))
}

function arbitraryCondition(): fc.Arbitrary<Metric> {
  const keys: readonly Pick<WireSample, 'key' | 'type' | 'category'>[] = [
    { key: 'sys', type: 'SYSTEM' },
    { key: 'Logic_Cond', type: 'LogicProgram' },
    { key: 'Xload_cond', type: 'LOAD', category: 'CONDITION' },
  ]
  const codes = fc.constantFrom(undefined, '', 'A', 'B', '252')
  const texts = fc.record({ nativeCode: codes, message: fc.constantFrom(undefined, 'hot', 'Hot', 'too hot') })
  return fc
    .tuple(fc.constantFrom(...keys), fc.constantFrom(...levels), texts)
    .map(([key, value, { nativeCode, message }]) => ({
      ...key,
      value,
      ...(nativeCode === undefined ? {} : { nativeCode }),
      ...(message === undefined ? {} : { message }),
    }))
}

/** Random bursts of samples across the days of the scene; `wireSamples` converts them. */
export function arbitraryBursts(scene: Scene): fc.Arbitrary<readonly Burst[]> {
  const { sharesNumbers = false } = scene.options
  const entry: fc.Arbitrary<Entry> = fc.record({
    metric: arbitraryMetric,
    fraction: fc.constantFrom(0, 0, 1, 5000, 9999),
    form: fc.constantFrom(...forms),
    copy: fc.constantFrom(...copies),
  })
  const burst: fc.Arbitrary<Burst> = fc.record({
    machine: fc.nat(3),
    startMs: arbitraryInstant(scene),
    stepUs: fc.constantFrom(0, 1, 300, 1000, 500_000, 30_000_000, 60_000_000, 60_001_000, 300_000_000, 1_200_000_000),
    sequenced: sharesNumbers ? fc.constant(true) : fc.boolean(),
    instanceId: fc.constantFrom(1, 2),
    sharing: sharesNumbers ? fc.constantFrom(2, 3) : fc.constantFrom(1, 1, 2, 3),
    firstPart: nullOr(fc.constantFrom(0, 6, 95, 995), 6),
    entries: fc.array(entry, { minLength: 1, maxLength: 16, size: 'large' }),
  })
  return fc.array(burst, { minLength: 1, maxLength: 24, size: 'large' })
}

/**
 * Converts bursts to wire samples, with copies, in no order. Copies at another time, and several samples of one number,
 * are created only for machines for which `mayMove` returns true, because a copy that is left out must not end an idle
 * period.
 */
export function wireSamples(
  bursts: readonly Burst[],
  machineIds: readonly string[],
  mayMove: (machineId: string) => boolean,
): readonly WireSample[] {
  return bursts.flatMap((burst, burstIndex) =>
    burst.entries.flatMap((entry, index) => {
      const machineId = machineIds[burst.machine % machineIds.length] ?? ''
      const atUs = burst.startMs * 1000 + index * burst.stepUs
      const sharing = mayMove(machineId) ? burst.sharing : 1
      const sequence = burstIndex * 100 + Math.floor(index / sharing)
      const identity = burst.sequenced ? { instanceId: burst.instanceId, sequence } : {}
      const timestamp = written(atUs, entry)
      const metric = burst.firstPart === null ? entry.metric : working(entry.metric, index, burst.firstPart)
      const sample: WireSample = { machineId, timestamp, ...metric, ...identity }
      const later = (ms: number) => (mayMove(machineId) ? written(atUs + ms * 1000, entry) : timestamp)
      return [...copiesOf(sample, entry, burst.sequenced, later), sample]
    }),
  )
}

/**
 * Returns the metric of a machine in operation: it starts, counts a part and stops; every fourth time, it is the drawn
 * value.
 */
function working(drawn: Metric, index: number, firstPart: number): Metric {
  const execution = { key: 'execution', type: 'EXECUTION' }
  const count = { key: 'parts', type: 'PART_COUNT', value: firstPart + index }
  return [{ ...execution, value: 'ACTIVE' }, count, { ...execution, value: 'READY' }, drawn][index % 4] ?? drawn
}

function copiesOf(
  sample: WireSample,
  entry: Entry,
  sequenced: boolean,
  later: (ms: number) => string,
): readonly WireSample[] {
  switch (entry.copy) {
    case 'none':
      return []
    case 'same':
      return [sample, sample]
    case 'otherMessage':
      return entry.metric.category === 'CONDITION' || entry.metric.type === 'SYSTEM'
        ? [{ ...sample, message: 'another' }]
        : [sample]
    case 'otherValue':
      return sequenced ? [{ ...sample, value: 'UNAVAILABLE' }] : [sample]
    case 'otherTime':
      return sequenced ? [{ ...sample, timestamp: later(1000) }] : [sample]
    case 'hoursLater':
      return sequenced ? [{ ...sample, timestamp: later(3 * 3_600_000) }] : [sample]
    default:
      throw new Error(`unknown copy ${String(entry.copy satisfies never)}`)
  }
}

/** Formats an instant in one of the forms that senders use. */
function written(atUs: number, { form, fraction }: Entry): string {
  const atMs = Math.floor(atUs / 1000)
  const us = String(atUs - atMs * 1000).padStart(3, '0')
  const [text, zoneless] = [new Date(atMs).toISOString(), new Date(atMs).toISOString().slice(0, 23)]
  switch (form) {
    case 'ms':
      return us === '000' ? text : `${zoneless}${us}Z`
    case 'us':
      return `${zoneless}${us}Z`
    case 'digits7':
      return `${zoneless}${us}${String(fraction).padStart(4, '0').at(-1)}Z`
    case 'offset':
      return `${new Date(atMs + 5.5 * 3_600_000).toISOString().slice(0, 23)}${us}+05:30`
    case 'bare':
      return `${zoneless}${us}`
    default:
      throw new Error(`unknown form ${String(form satisfies never)}`)
  }
}
