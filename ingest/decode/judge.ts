import type { Sample } from '../../schema/sample.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import type { MachineInfo, MachineLookup } from './machine.ts'
import { isFaulty, longNamesOf, type RawSample, readSample, readTimed } from './sample.ts'
import type { TimeBounds } from './take-packed.ts'
import { dayMs } from '../../shared/time/units.ts'
import { type CompanyRef, type MachineRef, noMachine } from '../../schema/refs.ts'

/** How far ahead of the log's clock a sample may be. */
const maxAheadMs = dayMs

export interface DecodeContext {
  readonly machine: MachineLookup
  /** Finds the machines of compact records of several; without it there are none. */
  readonly machineByRef?: (ref: MachineRef) => MachineInfo | undefined
  /** When the log took the record; the age of its samples is judged by this. */
  readonly appendedAtMs: number
  /** Bounds of a whole record of JSON; `recordBounds` by default. */
  readonly bounds?: JsonBounds
}

/** Samples of a record. Every sample stands in exactly one of the lists, in the record's order. */
export interface Decoded {
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejection[]
}

export interface Accepted {
  /** Counts the record's samples from 0. */
  readonly index: number
  readonly sample: Sample
  readonly machine: MachineInfo
  /** `CompanyRecord.ref` of the machine's company. */
  readonly companyRef: CompanyRef
}

/** A sample that is not taken, and why. */
export interface Refused {
  readonly index: number
  readonly reason: DeadLetterReason
  /** Every fault of it, for a human. */
  readonly message: string
}

export interface Rejection extends Refused {
  /** JSON text that stands for the sample alone, for replay. */
  readonly value: string
}

/** A sample as it came, and the machine that its batch names (undefined: it came alone). */
export interface Flat {
  readonly raw: unknown
  readonly machineId: unknown
}

/** The machine that a sample names. */
export interface Place {
  readonly machineId: string | undefined
  /** undefined: there is no such machine. */
  readonly machine: MachineInfo | undefined
  /** Ref by which a compact record names the machine, where no machine has it. */
  readonly unknownRef?: MachineRef
}

/** Id of the machine that a sample names, in lower case: its own, else its batch's. undefined: it names none. */
export function machineIdOf({ raw, machineId }: Flat): string | undefined {
  const named = (isObject(raw) ? raw.machineId : undefined) ?? machineId
  return typeof named === 'string' ? named.toLowerCase() : undefined
}

/** Judges one sample; `index` is its place among those that came with it. */
export function judgeSample(flat: Flat, index: number, context: DecodeContext): Accepted | Refused {
  if (!isObject(flat.raw)) return refuse(index, 'invalid_sample', ['a sample must be a JSON object'])
  const machineId = machineIdOf(flat)
  const machine = machineId === undefined ? undefined : context.machine(machineId)
  return judgeRead(flat.raw, index, { machineId, machine }, context, readSample(flat.raw, machine?.ref ?? noMachine))
}

/** Judges one sample of a compact record as if it had come as JSON. */
export function judgeUnplaced(
  unplaced: Omit<Sample, 'machineRef'>,
  index: number,
  place: Place,
  context: DecodeContext,
): Accepted | Refused {
  return judgeRead(unplaced, index, place, context, readTimed(unplaced, unplaced.atUs, place.machine?.ref ?? noMachine))
}

function judgeRead(
  raw: RawSample,
  index: number,
  place: Place,
  context: DecodeContext,
  read: Sample | readonly string[],
): Accepted | Refused {
  const longNames = longNamesOf(raw)
  if (longNames !== '') return refuse(index, 'name_too_long', [longNames])
  if (isFaulty(read)) return refuse(index, 'invalid_sample', [...read, ...faultsOfPlace(place)])
  return judgePlaced(index, read, place, context)
}

/** Judges a sound sample by its time and machine. */
export function judgePlaced(
  index: number,
  sample: Sample,
  { machineId, machine, unknownRef }: Place,
  context: DecodeContext,
): Accepted | Refused {
  if (sample.atUs > (context.appendedAtMs + maxAheadMs) * 1000) {
    return refuse(index, 'future_timestamp', ['timestamp is more than 24 hours ahead'])
  }
  if (unknownRef !== undefined) return refuse(index, 'unknown_machine', [`no machine has the ref ${unknownRef}`])
  if (machine === undefined) return refuseUnknown(index, machineId)
  if (sample.atUs < (context.appendedAtMs - machine.maxSampleAgeDays * dayMs) * 1000) {
    return refuse(index, 'past_timestamp', [`timestamp is more than ${machine.maxSampleAgeDays} days old`])
  }
  return { index, sample, machine, companyRef: machine.companyRef }
}

/** Times of a machine's samples that are taken, where the log took them at that time. */
export function timeBounds({ maxSampleAgeDays }: MachineInfo, appendedAtMs: number): TimeBounds {
  return { fromUs: (appendedAtMs - maxSampleAgeDays * dayMs) * 1000, toUs: (appendedAtMs + maxAheadMs) * 1000 }
}

/** Whether a sample was taken. */
export function isAccepted(verdict: Accepted | Refused): verdict is Accepted {
  return 'sample' in verdict
}

function refuseUnknown(index: number, machineId: string | undefined): Refused {
  const faults = machineFaults(machineId, undefined)
  if (faults.length > 0) return refuse(index, 'invalid_sample', faults)
  return refuse(index, 'unknown_machine', [`there is no machine ${machineId}`])
}

function faultsOfPlace({ machineId, machine, unknownRef }: Place): readonly string[] {
  return unknownRef === undefined ? machineFaults(machineId, machine) : [`no machine has the ref ${unknownRef}`]
}

/** Faults of a machine's id. The id of a machine that exists has none, even where it is no UUID. */
function machineFaults(machineId: string | undefined, found: MachineInfo | undefined): readonly string[] {
  return found === undefined && !isUuid(machineId) ? ['machineId must be a UUID'] : []
}

function isUuid(text: string | undefined): boolean {
  return text !== undefined && /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)
}

function refuse(index: number, reason: DeadLetterReason, faults: readonly string[]): Refused {
  return { index, reason, message: faults.join('; ') }
}

/** Whether it is a JSON object, whatever its fields. */
export function isObject(value: unknown): value is RawSample & { readonly samples?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
