import { createHash } from 'node:crypto'

/**
 * Last EXECUTION value of a key, reduced to what the state needs: in cycle, paused within a program, completed,
 * UNAVAILABLE, or other.
 */
export type ExecutionValue = 'cycle' | 'paused' | 'completed' | 'unavailable' | 'other'

/** State of a part counter. The next value that differs from `last` shows whether `last` is a dip or a spike. */
export interface Counter {
  readonly last: number
  /** Set if `last` is smaller than `before`: if `last` is a dip, the next value adds its difference to `from`. */
  readonly dip: { readonly before: number; readonly from: number } | null
  /**
   * Set if the addition of `last` exceeded `maxPartJump`: if `last` is a spike, the next value adds its difference to
   * this value.
   */
  readonly spikeFrom: number | null
}

/** An active condition, which is an alarm instance. `key` is spelled as in the sample that raised it. */
export interface ActiveCondition {
  readonly key: string
  readonly code: string
  readonly type: string
  readonly level: 'WARNING' | 'FAULT'
  readonly message: string
  readonly startMs: number
}

/** A triggered emergency stop. */
export interface TriggeredStop {
  readonly key: string
  readonly type: string
  readonly startMs: number
}

/** A downtime record in progress. It continues in the next hour if that starts with downtime of the same reason. */
export interface RunningDowntime {
  readonly reason: number
  readonly startMs: number
}

/**
 * Minimal state of a machine from which the next hour is computed. Arrays are sorted by canonical key, so that equal
 * states have equal serialized forms. Never modified.
 */
export interface MachineState {
  readonly executions: readonly (readonly [key: string, value: ExecutionValue])[]
  /** Keys whose last speed counts as rotating. */
  readonly speeds: readonly string[]
  /** Keys whose SPINDLE_ROTATING is on. */
  readonly rotating: readonly string[]
  /** Keys whose CUTTING is on. */
  readonly cutting: readonly string[]
  /**
   * Whether a CUTTING key ever had a value: the cut signal is then ignored. Only set if the machine has a cut signal.
   */
  readonly cuttingKnown: boolean
  readonly cutSignalOn: boolean
  readonly stops: readonly TriggeredStop[]
  readonly conditions: readonly ActiveCondition[]
  readonly counters: readonly (readonly [key: string, counter: Counter])[]
  /** First sample of the machine, UTC ms; only stored while it can determine the start of the machine's time. */
  readonly firstSeenMs: number | null
  /** Last sample of any key, UTC ms; only stored if the machine can become stale. */
  readonly lastSeenMs: number | null
  /**
   * Since when the last values result in the current status, UTC ms, without regard to later stale periods; null: from
   * the beginning.
   */
  readonly statusSinceMs: number | null
  /** `ref` of the active run in setup that auto-production has moved to production; 0 if there is none. */
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

/** Returns the state of a machine before its first sample. */
export function initialState(): MachineState {
  return initial
}

interface SerializedState {
  readonly text: string
  readonly hash: string
}

/** Cache by identity: states are immutable, and most hours end with the state with which they started. */
const serializedStates = new WeakMap<MachineState, SerializedState>()

function serializeOnce(state: MachineState): SerializedState {
  const known = serializedStates.get(state)
  if (known) return known
  const text = JSON.stringify(withoutDefaults(state))
  const fresh = { text, hash: hashState(text) }
  serializedStates.set(state, fresh)
  return fresh
}

/** Fixed order of properties, so that equal states have equal JSON. */
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

function withoutDefaults(state: MachineState): Record<string, unknown> {
  const properties: Record<string, unknown> = {}
  for (const name of names) {
    const value = state[name]
    if (Array.isArray(value) ? value.length > 0 : value !== initial[name]) properties[name] = value
  }
  return properties
}

/** Returns compact JSON of a state, equal for equal states. */
export function serializeState(state: MachineState): string {
  return serializeOnce(state).text
}

/** Parses the result of `serializeState`; throws a SyntaxError for invalid JSON. */
export function parseState(text: string): MachineState {
  const properties: Partial<MachineState> = JSON.parse(text)
  return { ...initial, ...properties }
}

/** Returns the hash of a serialized state: a UInt64 in decimal. */
export function hashState(text: string): string {
  return createHash('md5').update(text).digest().readBigUInt64LE().toString()
}

/** Returns `hashState(serializeState(state))` from a cache. */
export function stateHash(state: MachineState): string {
  return serializeOnce(state).hash
}
