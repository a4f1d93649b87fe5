import { cachedCanonicalName } from '../../schema/canonical-name.ts'
import type { ActivityMinute, Sample } from '../../schema/sample.ts'
import { hourMs } from '../../shared/time/units.ts'
import { HourComputer } from './hour-computer.ts'
import { isCounter } from './machine.ts'
import { isPause } from './executions.ts'
import { roleOf } from './names.ts'
import { sortAndDeduplicate } from './order.ts'
import { replay } from './replay.ts'
import { mayGoStale } from './staleness.ts'
import { initialState, type MachineState } from './state.ts'
import type { MachineInputs } from './types.ts'
import { parseDecimal, unavailableValue } from './values.ts'

/** Samples and activity of one hour. */
export interface HourOfSamples {
  /** Sorted and distinct (`sortAndDeduplicate`). */
  readonly samples: readonly Sample[]
  readonly seen: readonly ActivityMinute[]
}

/** Samples of a machine before an hour whose start state is derived. */
export interface SampleWindow {
  /** The window [fromMs, toMs), whole hours. */
  readonly fromMs: number
  readonly toMs: number
  readonly hourOf: (slotMs: number) => HourOfSamples
  /** The last sample of each key, type, subtype, category and native code before the window, and of the same µs. */
  readonly latest: readonly Sample[]
  /** First hour of the machine's documents, UTC ms. */
  readonly firstSlotMs: number
  /** First sample or activity of the machine, UTC ms; Infinity if there is none. */
  readonly firstSeenMs: number
}

/**
 * Derives the state of a machine at the end of a window from the samples of the window and the last values before it: the same state
 * that a computation of all hours up to there has. Returns null if the state depends on further samples before the window; a longer window
 * can then show it. A window that contains the machine's first hour always shows it.
 */
export function startState(inputs: MachineInputs, window: SampleWindow): MachineState | null {
  const latest = sortAndDeduplicate(window.latest)
  const computer = new HourComputer(inputs)
  const before = stateBefore(inputs, window, latest)
  let state = before
  for (let slotMs = window.fromMs; slotMs < window.toMs; slotMs += hourMs) {
    const { samples, seen } = window.hourOf(slotMs)
    state = computer.compute(slotMs, state, samples, seen).stateOut
  }
  if (window.fromMs <= window.firstSlotMs) return state
  return areConditionsKnown(before, latest) && isDetermined(inputs, window, latest, state) ? state : null
}

/** Returns the state at the start of the window as far as the last values show it: instants in it are unknown. */
function stateBefore(inputs: MachineInputs, window: SampleWindow, latest: readonly Sample[]): MachineState {
  const settings = { ...inputs.settings, staleAfterMs: null }
  const { state } = replay({ ...inputs, settings }, window.fromMs - hourMs, initialState(), latest, [])
  const { fromMs, createdMs } = inputs.commissioned
  const { firstSeenMs } = window
  return {
    ...state,
    firstSeenMs: fromMs === null && createdMs >= window.fromMs && firstSeenMs < window.fromMs ? firstSeenMs : null,
  }
}

/**
 * Returns whether `state` is independent of samples before the window other than the last ones. Every instant in the state must be later than
 * the first one of the window, and what depends on a series of values must have ended within the window. The status of a machine without
 * samples has no start.
 */
function isDetermined(
  inputs: MachineInputs,
  window: SampleWindow,
  latest: readonly Sample[],
  state: MachineState,
): boolean {
  const within = samplesIn(window)
  const isNew = window.firstSeenMs >= window.toMs
  const knownFromMs = mayGoStale(inputs.settings) && !isNew ? firstSeenIn(window) : window.fromMs
  const { statusSinceMs, downtime, stops, conditions } = state
  const starts = [...stops, ...conditions].map(({ startMs }) => startMs)
  return (
    (isNew || (statusSinceMs !== null && statusSinceMs > knownFromMs)) &&
    starts.every(startMs => startMs > knownFromMs) &&
    (downtime === null || downtime.startMs > knownFromMs) &&
    !hasAutoProduction(inputs, window.fromMs) &&
    latest.every(sample => isUnderstood(sample, inputs)) &&
    isCuttingKnown(inputs, state, [...latest, ...within]) &&
    areProgramsKnown(inputs, latest, within) &&
    areCountersKnown(inputs, [...latest, ...within])
  )
}

function samplesIn({ fromMs, toMs, hourOf }: SampleWindow): readonly Sample[] {
  const samples: Sample[] = []
  for (let slotMs = fromMs; slotMs < toMs; slotMs += hourMs)
    for (const each of hourOf(slotMs).samples) samples.push(each)
  return samples
}

/** Returns the first instant of the window at which the machine was seen; Infinity if there is none. */
function firstSeenIn({ fromMs, toMs, hourOf }: SampleWindow): number {
  for (let slotMs = fromMs; slotMs < toMs; slotMs += hourMs) {
    const { samples, seen } = hourOf(slotMs)
    const firstMs = Math.min((samples[0]?.atUs ?? Infinity) / 1000, seen[0]?.firstMs ?? Infinity)
    if (firstMs < Infinity) return firstMs
  }
  return Infinity
}

/** Whether a run that began in setup before the window may have been moved to production there. */
function hasAutoProduction({ autoProduction, runs }: MachineInputs, fromMs: number): boolean {
  return autoProduction && runs.some(run => run.startInSetup && run.startMs < fromMs && run.endMs > fromMs)
}

/**
 * Whether the conditions that are active at the start of the window are known. A sample can clear all codes of its key, and a later one with
 * the same code replaces it among the last ones.
 */
function areConditionsKnown({ conditions }: MachineState, latest: readonly Sample[]): boolean {
  const samples = latest.filter(sample => roleOf(sample) === 'condition')
  return conditions.every(({ key, code, startMs }) => {
    const name = cachedCanonicalName(key)
    const mayHide = (sample: Sample) => sample.nativeCode !== code && sample.atUs >= startMs * 1000
    return !samples.some(sample => mayHide(sample) && cachedCanonicalName(sample.key) === name)
  })
}

const levels: ReadonlySet<string> = new Set(['NORMAL', 'WARNING', 'FAULT', unavailableValue])

/** Whether the last value of a key has an effect; otherwise the effect of an earlier value lasts. */
function isUnderstood(sample: Sample, { settings }: MachineInputs): boolean {
  const role = roleOf(sample)
  if (role === 'condition') return levels.has(sample.value)
  const isCutSignal =
    settings.cutSignal !== null && cachedCanonicalName(settings.cutSignal.key) === cachedCanonicalName(sample.key)
  if (role !== 'speed' && !isCutSignal) return true
  return parseDecimal(sample.value) !== null || sample.value === unavailableValue
}

/** Whether the samples show if any CUTTING key had a value. */
function isCuttingKnown({ settings }: MachineInputs, state: MachineState, samples: readonly Sample[]): boolean {
  if (settings.cutSignal === null || state.cuttingKnown) return true
  return samples.every(sample => roleOf(sample) !== 'cutting')
}

/** Whether a pause that cycles are counted by follows a value of the window other than a pause. */
function areProgramsKnown({ settings }: MachineInputs, latest: readonly Sample[], within: readonly Sample[]): boolean {
  if (settings.partCounter !== 'cycle') return true
  const unknown = new Set<string>()
  for (const { key, value } of latest.filter(isExecution)) {
    const name = cachedCanonicalName(key)
    // The end of a stale period ends programs, too.
    if (isPause(value) || mayGoStale(settings)) unknown.add(name)
    else unknown.delete(name)
  }
  for (const { key, value } of within.filter(isExecution)) if (!isPause(value)) unknown.delete(cachedCanonicalName(key))
  return unknown.size === 0
}

function isExecution(sample: Sample): boolean {
  return roleOf(sample) === 'execution'
}

/**
 * Whether each counter has risen by a possible number of parts between two known values: whether it had a dip or a spike before has then no
 * effect any more (`count`).
 */
function areCountersKnown({ settings }: MachineInputs, samples: readonly Sample[]): boolean {
  if (settings.partCounter !== 'counter') return true
  const last = new Map<string, number>()
  const unknown = new Set<string>()
  const known = new Set<string>()
  for (const sample of samples) {
    const name = cachedCanonicalName(sample.key)
    if (!isCounter(roleOf(sample), name, settings)) continue
    unknown.add(name)
    const value = parseDecimal(sample.value)
    if (value === null || value < 0) continue
    const rise = value - (last.get(name) ?? Infinity)
    if (rise > 0 && rise <= settings.maxPartJump) known.add(name)
    last.set(name, value)
  }
  return [...unknown].every(name => known.has(name))
}
