import type { Sample } from '../../schema/sample.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import type { MachineInfo, MachineLookup } from './machine.ts'
import { isFaulty, readSample, type RawSample } from './sample.ts'
import { dayMs } from '../../shared/time/units.ts'

/** How far ahead of the log's clock a sample may be. */
export const maxAheadMs = dayMs

export interface DecodeContext {
  readonly machine: MachineLookup
  /** When the log took the record: what the age of its samples is judged by. */
  readonly appendedAtMs: number
}

/** What a record holds. Every sample of it stands in exactly one of the lists, in the record's order. */
export interface Decoded {
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejection[]
}

export interface Accepted {
  /** Counts the record's samples from 0. */
  readonly index: number
  readonly sample: Sample
  readonly machine: MachineInfo
}

export interface Rejection {
  readonly index: number
  readonly reason: DeadLetterReason
  /** Every fault of it, for a human. */
  readonly message: string
  /** JSON text that stands for the sample alone, for replay. */
  readonly value: string
}

/** A sample as it came, and the machine that its batch names (undefined: it came alone). */
export interface Flat {
  readonly raw: unknown
  readonly machineId: unknown
}

/** Reads a record of samples.v1: a sample, or a gateway's batch `{machineId, samples}`. One bad sample rejects no other. Never throws. */
export function decodeRecord(value: Buffer, context: DecodeContext): Decoded {
  const text = value.toString()
  const parsed = parseJson(text)
  if (parsed === undefined) {
    return {
      accepted: [],
      rejected: [{ index: 0, reason: 'invalid_json', message: 'Problem parsing JSON', value: text }],
    }
  }
  return decodeSamples(flatten(parsed), context)
}

/** Judges samples one by one. */
export function decodeSamples(samples: readonly Flat[], context: DecodeContext): Decoded {
  const accepted: Accepted[] = []
  const rejected: Rejection[] = []
  for (const [index, flat] of samples.entries()) {
    const verdict = judge(flat, index, context)
    if ('sample' in verdict) accepted.push(verdict)
    else rejected.push(verdict)
  }
  return { accepted, rejected }
}

/** The samples of a JSON value: a sample, a batch, or an array of both. What is none of these counts as one (bad) sample. */
export function flatten(json: unknown): Flat[] {
  if (Array.isArray(json))
    return json.flatMap(element => (Array.isArray(element) ? [alone(element)] : flatten(element)))
  if (!isObject(json) || !Array.isArray(json.samples)) return [alone(json)]
  const machineId = json.machineId
  return json.samples.map((raw: unknown) => ({ raw, machineId }))
}

function alone(raw: unknown): Flat {
  return { raw, machineId: undefined }
}

/** Id of the machine that a sample names, in lower case: its own, else its batch's. undefined: it names none. */
export function machineIdOf({ raw, machineId }: Flat): string | undefined {
  const named = (isObject(raw) ? raw.machineId : undefined) ?? machineId
  return typeof named === 'string' ? named.toLowerCase() : undefined
}

function judge(flat: Flat, index: number, context: DecodeContext): Accepted | Rejection {
  if (!isObject(flat.raw)) return reject(flat, index, 'invalid_sample', ['a sample must be a JSON object'])
  const machineId = machineIdOf(flat)
  const machine = machineId === undefined ? undefined : context.machine(machineId)
  const sample = readSample(flat.raw, machine?.ref ?? 0)
  if (isFaulty(sample)) return reject(flat, index, 'invalid_sample', [...sample, ...machineFaults(machineId, machine)])
  if (sample.atUs > (context.appendedAtMs + maxAheadMs) * 1000) {
    return reject(flat, index, 'future_timestamp', ['timestamp is more than 24 hours ahead'])
  }
  if (machine === undefined) return rejectUnknown(flat, index, machineId)
  if (sample.atUs < (context.appendedAtMs - machine.maxSampleAgeDays * dayMs) * 1000) {
    return reject(flat, index, 'past_timestamp', [`timestamp is more than ${machine.maxSampleAgeDays} days old`])
  }
  return { index, sample, machine }
}

function rejectUnknown(flat: Flat, index: number, machineId: string | undefined): Rejection {
  const faults = machineFaults(machineId, undefined)
  if (faults.length > 0) return reject(flat, index, 'invalid_sample', faults)
  return reject(flat, index, 'unknown_machine', [`there is no machine ${machineId}`])
}

/** A machine that is found has a sound id, whatever it looks like. */
function machineFaults(machineId: string | undefined, found: MachineInfo | undefined): readonly string[] {
  return found === undefined && !isUuid(machineId) ? ['machineId must be a UUID'] : []
}

function isUuid(text: string | undefined): boolean {
  return text !== undefined && /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)
}

function reject(flat: Flat, index: number, reason: DeadLetterReason, faults: readonly string[]): Rejection {
  return { index, reason, message: faults.join('; '), value: standalone(flat) }
}

/** A batch's sample is given the machine that the batch names. */
function standalone({ raw, machineId }: Flat): string {
  try {
    return JSON.stringify(isObject(raw) ? { ...raw, machineId: raw.machineId ?? machineId } : raw)
  } catch {
    return 'null' // nested deeper than JSON.stringify can follow
  }
}

/** Whether it is a JSON object, whatever its fields. */
function isObject(value: unknown): value is RawSample & { readonly samples?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** undefined: it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
