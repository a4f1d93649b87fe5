import { createHash } from 'node:crypto'

/** A key's last EXECUTION value as far as it matters: in cycle, paused within a program, completed, UNAVAILABLE, or anything else. */
export type ExecutionValue = 'cycle' | 'paused' | 'completed' | 'unavailable' | 'other'

/** State of a counter. The next value that differs from `last` decides whether `last` is a dip or a spike. */
export interface Counter {
  readonly last: number
  /** `last` is smaller than `before`; if it is a dip, the next value adds its difference to `from`. */
  readonly dip: { readonly before: number; readonly from: number } | null
  /** The addition of `last` was above `maxPartJump`; if it is a spike, the next value adds its difference to this value. */
  readonly spikeFrom: number | null
}

/** A condition that is active: an alarm instance. `key` is as the sample that raised it wrote it. */
export interface ActiveCondition {
  readonly key: string
  readonly code: string
  readonly type: string
  readonly level: 'WARNING' | 'FAULT'
  readonly message: string
  readonly startMs: number
}

/** An emergency stop that is triggered. */
export interface TriggeredStop {
  readonly key: string
  readonly type: string
  readonly startMs: number
}

/** A downtime record in progress: it continues in the next hour if that starts with the same reason. */
export interface RunningDowntime {
  readonly reason: number
  readonly startMs: number
}

/**
 * State of a machine that the next hour needs, and no more than that. Plain data; lists are sorted by canonical key, so equal
 * states serialise to equal texts. Never changed in place.
 */
export interface MachineState {
  readonly executions: readonly (readonly [key: string, value: ExecutionValue])[]
  /** Keys whose last speed counts as rotating. */
  readonly speeds: readonly string[]
  /** Keys whose SPINDLE_ROTATING is on. */
  readonly rotating: readonly string[]
  /** Keys whose CUTTING is on. */
  readonly cutting: readonly string[]
  /** Whether a CUTTING key ever had a value: from then on the cut signal says nothing. Only kept where one is set. */
  readonly cuttingKnown: boolean
  readonly cutSignalOn: boolean
  readonly stops: readonly TriggeredStop[]
  readonly conditions: readonly ActiveCondition[]
  readonly counters: readonly (readonly [key: string, counter: Counter])[]
  /** First sample ever, UTC ms; only kept while it can decide where the machine's time begins. */
  readonly firstSeenMs: number | null
  /** Last sample of any key, UTC ms; only kept where the machine can go stale. */
  readonly lastSeenMs: number | null
  /**
   * Time since which the status follows from the last values (also for a machine that became stale later); null: from
   * the start.
   */
  readonly statusSinceMs: number | null
  /** `ref` of an active run in setup that auto-production has moved to production; 0: none. */
  readonly autoRun: number
  readonly downtime: RunningDowntime | null
}

const initial: MachineState = {
  executions: [],
  speeds: [],
  rotating: [],
  cutting: [],
  cuttingKnown: false,
  cutSignalOn: false,
  stops: [],
  conditions: [],
  counters: [],
  firstSeenMs: null,
  lastSeenMs: null,
  statusSinceMs: null,
  autoRun: 0,
  downtime: null,
}

/** The state of a machine of which nothing is known yet. */
export function initialState(): MachineState {
  return initial
}

interface Written {
  readonly text: string
  readonly hash: string
}

/** States are immutable, and most hours end in the state in which they began. */
const written = new WeakMap<MachineState, Written>()

function write(state: MachineState): Written {
  const known = written.get(state)
  if (known) return known
  const text = JSON.stringify(leaveOutEmpty(state))
  const fresh = { text, hash: hashState(text) }
  written.set(state, fresh)
  return fresh
}

/** In a fixed order, so that the text doesn't depend on how the state was put together. */
const names = [
  'executions',
  'speeds',
  'rotating',
  'cutting',
  'cuttingKnown',
  'cutSignalOn',
  'stops',
  'conditions',
  'counters',
  'firstSeenMs',
  'lastSeenMs',
  'statusSinceMs',
  'autoRun',
  'downtime',
] as const satisfies readonly (keyof MachineState)[]

function leaveOutEmpty(state: MachineState): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of names) {
    const value = state[name]
    if (Array.isArray(value) ? value.length > 0 : value !== initial[name]) kept[name] = value
  }
  return kept
}

/** A state as compact JSON, equal for equal states. */
export function serializeState(state: MachineState): string {
  return write(state).text
}

/** Parses what `serializeState` wrote; throws a SyntaxError on other text. */
export function parseState(text: string): MachineState {
  const kept: Partial<MachineState> = JSON.parse(text)
  if (!hasPreviousCounters(text)) return { ...initial, ...kept }
  const previous: PreviousCounters = JSON.parse(text)
  return { ...initial, ...kept, counters: upgradeCounters(previous) }
}

/** Counters as an earlier version stored them, which counted by other rules. */
interface PreviousCounters {
  readonly counters: readonly (readonly [
    key: string,
    { readonly last: number; readonly glitch: { readonly before: number; readonly added: number } | null },
  ])[]
}

/** Whether the text of a state has counters of an earlier version, which counted parts by other rules. */
export function hasPreviousCounters(text: string): boolean {
  return text.includes('"glitch":')
}

function upgradeCounters({ counters }: PreviousCounters): MachineState['counters'] {
  return counters.map(([key, { last, glitch }]) => {
    const dip = glitch && { before: glitch.before, from: glitch.before + glitch.added }
    return [key, { last, dip, spikeFrom: null }]
  })
}

/** A hash of a state's text: the decimal text of a UInt64. */
export function hashState(text: string): string {
  return createHash('md5').update(text).digest().readBigUInt64LE().toString()
}

/** `hashState(serializeState(state))`, remembered. */
export function stateHash(state: MachineState): string {
  return write(state).hash
}
