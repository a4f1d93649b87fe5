import { type HourDocument } from '../../../schema/document.ts'
import { hourMs, slotOf } from '../../../shared/time/units.ts'
import { type Sample, type ActivityMinute, omittedFields } from '../../../schema/sample.ts'
import { computeHour } from '../../../processors/timeline/compute-hour.ts'
import { sortAndDeduplicate } from '../../../processors/timeline/order.ts'
import { initialState, parseState, serializeState, type MachineState } from '../../../processors/timeline/state.ts'
import type { StateSettings } from '../../../schema/records/machine.ts'
import type { MachineInputs } from '../../../processors/timeline/types.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

/** Start of the tests' time: the start of an hour. */
export const startMs = Date.UTC(2026, 2, 2, 6)
export const second = 1000
export const minute = 60_000

/** A sample `ms` (fractions are microseconds) after `startMs`. */
export function sample(ms: number, type: string, value: string, more: Partial<Sample> = {}): Sample {
  return {
    machineRef: asMachineRef(1),
    atUs: startMs * 1000 + Math.round(ms * 1000),
    key: more.key ?? type.toLowerCase(),
    type,
    subtype: '',
    category: 'EVENT',
    value,
    ...omittedFields,
    ...more,
  }
}

export const execution = (ms: number, value: string, key = 'execution') => sample(ms, 'EXECUTION', value, { key })
export const parts = (ms: number, value: number | string, more: Partial<Sample> = {}) =>
  sample(ms, 'PART_COUNT', String(value), more)
export const condition = (ms: number, value: string, nativeCode = '', message = '', key = 'system') =>
  sample(ms, 'SYSTEM', value, { category: 'CONDITION', nativeCode, message, key })

export const defaultSettings: StateSettings = {
  partCounter: 'counter',
  partCountKey: null,
  maxPartJump: 1000,
  maxResetParts: 10,
  staleAfterMs: null,
  cutSignal: null,
  spindleAbove: 1,
}

/** A machine with part counter `counter` that is scheduled around the clock, without runs and operators. */
export function inputsOf(
  settings: Partial<StateSettings> = {},
  more: Partial<Omit<MachineInputs, 'settings'>> = {},
): MachineInputs {
  return {
    companyRef: asCompanyRef(1),
    machineRef: asMachineRef(1),
    settings: { ...defaultSettings, ...settings },
    commissioned: { fromMs: null, createdMs: 0, toMs: null },
    scheduledBy: 'shift',
    autoProduction: false,
    calendar: (fromMs, toMs) => [
      { startMs: fromMs, endMs: toMs, cellMs: slotOf(fromMs), shift: 0, optional: false, nonOptional: true },
    ],
    runs: [],
    operators: [],
    annotations: [],
    adjustments: [],
    ...more,
  }
}

interface Options {
  /** Start of the first hour; default: `startMs`. */
  readonly fromMs?: number
  readonly hours?: number
  readonly seen?: readonly ActivityMinute[]
  /** Replaces the state that is passed from one hour to the next. */
  readonly carry?: (state: MachineState) => MachineState
}

/** Computes `hours` consecutive hours from `fromMs`. */
export function compute(inputs: MachineInputs, samples: readonly Sample[], options: Options = {}): HourDocument[] {
  const { fromMs = startMs, hours = 1, seen = [], carry = state => state } = options
  const documents: HourDocument[] = []
  let state = initialState()
  for (let slotMs = fromMs; slotMs < fromMs + hours * hourMs; slotMs += hourMs) {
    const inHour = samples.filter(({ atUs }) => slotOf(atUs / 1000) === slotMs)
    const seenInHour = seen.filter(({ firstMs }) => slotOf(firstMs) === slotMs)
    const { document, stateOut } = computeHour(inputs, slotMs, state, sortAndDeduplicate(inHour), seenInHour)
    documents.push(document)
    state = carry(stateOut)
  }
  return documents
}

/** Computes only the first hour. */
export function computeOne(
  inputs: MachineInputs,
  samples: readonly Sample[],
  seen: readonly ActivityMinute[] = [],
): HourDocument {
  return must(compute(inputs, samples, { seen })[0])
}

export function throughText(state: MachineState): MachineState {
  return parseState(serializeState(state))
}

/** Returns the segments in short form: start, end and a word for their content. */
export function timeline(
  document: HourDocument,
  word: (segment: HourDocument['segments'][number]) => string | number | boolean | null,
): (readonly [start: number, end: number, word: string | number | boolean | null])[] {
  const short: [number, number, string | number | boolean | null][] = []
  for (const segment of document.segments) {
    const last = short.at(-1)
    if (last && last[1] === segment.start && last[2] === word(segment)) last[1] = segment.end
    else short.push([segment.start, segment.end, word(segment)])
  }
  return short
}

export const statusesOf = (document: HourDocument) => timeline(document, ({ status }) => status)

/** Returns the parts of an hour, by instant. */
export const partsOf = (document: HourDocument) => document.parts.map(({ at, parts }) => [at, parts] as const)

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing value')
  return value
}
