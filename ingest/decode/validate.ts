import type { Sample } from '../../schema/sample.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { dayMs } from '../../shared/time/units.ts'
import { type CompanyRef, type MachineRef, noMachine } from '../../schema/refs.ts'
import {
  canonicalValue,
  hasCanonicalValue,
  isInvalid,
  longNamesError,
  maxTextLength,
  mayBeUnavailable,
  type RawSample,
  readNames,
  readSample,
  readSampleAt,
} from './fields.ts'
import type { MachineInfo, MachineLookup } from './machine.ts'
import type { DataItemNames } from './names.ts'
import type { PlainSample } from './plain-json.ts'
import type { RawNames } from './plain-shapes.ts'

/** How far ahead of the log's clock a timestamp may be. */
const maxAheadMs = dayMs

/** Facts by which the samples of a record are validated. */
export interface DecodeContext {
  readonly machine: MachineLookup
  /** Finds machines by the refs in compact records; without it no ref is known. */
  readonly machineByRef?: (ref: MachineRef) => MachineInfo | undefined
  /** When the log appended the record; limits of timestamps are relative to it. */
  readonly appendedAtMs: number
  /** Limits of a whole record of JSON; `recordBounds` by default. */
  readonly bounds?: JsonBounds
}

/** Samples of a record. Every sample is in exactly one of the lists, in the order of the record. */
export interface Decoded {
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejection[]
}

/** A sample that passed validation. */
export interface Accepted {
  /** Index among the samples of the record. */
  readonly index: number
  readonly sample: Sample
  readonly machine: MachineInfo
  /** `CompanyRecord.ref` of the machine's company. */
  readonly companyRef: CompanyRef
}

/** Why a sample failed validation. */
export interface SampleRejection {
  readonly index: number
  readonly reason: DeadLetterReason
  /** All of its errors, for a human. */
  readonly message: string
}

/** A rejection with the rejected sample. */
export interface Rejection extends SampleRejection {
  /** The sample as JSON of its own, for replay. */
  readonly value: string
}

/** A sample as it was sent, with the machine id of its batch; undefined: it is in no batch. */
export interface SentSample {
  readonly raw: unknown
  readonly machineId: unknown
}

/** The machine that a sample names. */
export interface NamedMachine {
  readonly machineId: string | undefined
  /** undefined: the machine does not exist. */
  readonly machine: MachineInfo | undefined
  /** The ref in a compact record, if no machine has it. */
  readonly unknownRef?: MachineRef
}

/** Accepted timestamps, UTC µs. */
export interface TimeLimits {
  readonly fromUs: number
  readonly toUs: number
}

/** An accepted plain sample, valid until the next one is validated. */
export interface AcceptedPlain {
  /** In lower case. */
  readonly machineId: string
  readonly machine: MachineInfo
  /** Samples with equal names mostly share this object. */
  readonly names: DataItemNames
  /** null: the value is the bytes of `sample`, unchanged. */
  readonly value: string | null
  readonly sample: PlainSample
}

/** Returns the machine id of a sample in lower case: its own id if it has one, otherwise that of its batch; undefined: none. */
export function machineIdOf({ raw, machineId }: SentSample): string | undefined {
  const named = (isObject(raw) ? raw.machineId : undefined) ?? machineId
  return typeof named === 'string' ? named.toLowerCase() : undefined
}

/** Validates a sample of JSON. `index`: its index among the samples of its record or request. */
export function validateSample(sent: SentSample, index: number, context: DecodeContext): Accepted | SampleRejection {
  if (!isObject(sent.raw)) return reject(index, 'invalid_sample', ['a sample must be a JSON object'])
  const machineId = machineIdOf(sent)
  const machine = machineId === undefined ? undefined : context.machine(machineId)
  const read = readSample(sent.raw, machine?.ref ?? noMachine)
  return validateRead(sent.raw, read, index, { machineId, machine }, context)
}

/**
 * Validates a sample of a compact record by the rules of `validateSample`. `areNamesCanonical`: the result of `areCanonicalNames`, which the
 * samples of a record share.
 */
export function validateCompact(
  sample: Sample,
  areNamesCanonical: boolean,
  index: number,
  named: NamedMachine,
  context: DecodeContext,
): Accepted | SampleRejection {
  if (areNamesCanonical && hasCanonicalValue(sample)) return validateOrigin(sample, index, named, context)
  return validateRead(sample, readSampleAt(sample, sample.atUs, sample.machineRef), index, named, context)
}

function validateRead(
  raw: RawSample,
  read: Sample | readonly string[],
  index: number,
  named: NamedMachine,
  context: DecodeContext,
): Accepted | SampleRejection {
  const longNames = longNamesError(raw)
  if (longNames !== null) return reject(index, 'name_too_long', [longNames])
  if (!isInvalid(read)) return validateOrigin(read, index, named, context)
  return reject(index, 'invalid_sample', [...read, ...machineErrors(named)])
}

/** Validates the timestamp and the machine of a sample with valid fields. */
function validateOrigin(
  sample: Sample,
  index: number,
  named: NamedMachine,
  { appendedAtMs }: DecodeContext,
): Accepted | SampleRejection {
  const { machineId, machine, unknownRef } = named
  if (sample.atUs > latestUs(appendedAtMs))
    return reject(index, 'future_timestamp', ['timestamp is more than 24 hours ahead'])
  if (machine === undefined) {
    const errors = machineErrors(named)
    if (unknownRef !== undefined) return reject(index, 'unknown_machine', errors)
    if (errors.length > 0) return reject(index, 'invalid_sample', errors)
    return reject(index, 'unknown_machine', [`there is no machine ${machineId}`])
  }
  if (sample.atUs < earliestUs(machine, appendedAtMs))
    return reject(index, 'past_timestamp', [`timestamp is more than ${machine.maxSampleAgeDays} days old`])
  return { index, sample, machine, companyRef: machine.companyRef }
}

/** Returns the accepted timestamps of a machine's samples in a record that the log appended then. */
export function timeLimits(machine: MachineInfo, appendedAtMs: number): TimeLimits {
  return { fromUs: earliestUs(machine, appendedAtMs), toUs: latestUs(appendedAtMs) }
}

function latestUs(appendedAtMs: number): number {
  return (appendedAtMs + maxAheadMs) * 1000
}

function earliestUs({ maxSampleAgeDays }: MachineInfo, appendedAtMs: number): number {
  return (appendedAtMs - maxSampleAgeDays * dayMs) * 1000
}

/** Whether a sample passed validation. */
export function isAccepted(result: Accepted | SampleRejection): result is Accepted {
  return 'sample' in result
}

/** Returns the errors of a machine's id. The id of an existing machine has none, even if it is not a UUID. */
function machineErrors({ machineId, machine, unknownRef }: NamedMachine): readonly string[] {
  if (unknownRef !== undefined) return [`no machine has the ref ${unknownRef}`]
  return machine !== undefined || isUuid(machineId) ? [] : ['machineId must be a UUID']
}

function isUuid(text: string | undefined): boolean {
  return text !== undefined && /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)
}

function reject(index: number, reason: DeadLetterReason, errors: readonly string[]): SampleRejection {
  return { index, reason, message: errors.join('; ') }
}

/** Whether a value is a JSON object, with any fields. */
export function isObject(value: unknown): value is RawSample & { readonly samples?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns a function that validates plain samples of a record; it returns null for a sample that `validateSample` must read because it
 * is invalid or must be converted. Facts of a machine are looked up once for consecutive samples of it.
 */
export function plainValidator(context: DecodeContext): (sample: PlainSample) => AcceptedPlain | null {
  let sentId = ''
  let accepted: { -readonly [Field in keyof AcceptedPlain]: AcceptedPlain[Field] } | null = null
  let fromUs = 0
  let toUs = 0
  return sample => {
    if (sample.machineId !== sentId) {
      sentId = sample.machineId
      const machineId = sentId.toLowerCase()
      const machine = context.machine(machineId)
      accepted = machine === undefined ? null : { machineId, machine, names: noNames, value: null, sample }
      if (machine !== undefined) ({ fromUs, toUs } = timeLimits(machine, context.appendedAtMs))
    }
    if (accepted === null || !(sample.atUs >= fromUs && sample.atUs <= toUs)) return null
    const names = plainNames(sample.names)
    if (names === null) return null
    const value = plainValue(sample, names)
    if (value === undefined) return null
    accepted.names = names
    accepted.value = value
    return accepted
  }
}

const noNames: DataItemNames = { key: '', type: '', subtype: '', category: 'EVENT' }

/** Canonical names by the names that were sent; null: invalid, or to be converted. Cleared when full, as a sender chooses them. */
const namesBySent = new Map<string, DataItemNames | null>()
const maxCachedNames = 10_000

function plainNames(raw: RawNames): DataItemNames | null {
  if (raw.canonical !== undefined) return raw.canonical
  const { key, type, subtype, category } = raw
  // Plain strings contain no control characters.
  const sent = `${key ?? '\0'}\n${type ?? '\0'}\n${subtype ?? '\0'}\n${category ?? '\0'}`
  let names = namesBySent.get(sent)
  if (names === undefined) {
    names = readNames(raw)
    if (namesBySent.size >= maxCachedNames) namesBySent.clear()
    namesBySent.set(sent, names)
  }
  return (raw.canonical = names)
}

/** Returns the canonical value of a plain sample; null: its bytes, unchanged; undefined: it is invalid. */
function plainValue(
  { value, json, valueStart, valueEnd }: PlainSample,
  { category }: DataItemNames,
): string | null | undefined {
  if ((value?.length ?? valueEnd - valueStart) > maxTextLength) return undefined
  if (value === null && category !== 'CONDITION' && !mayBeUnavailable(json, valueStart, valueEnd)) return null
  return canonicalValue(value ?? json.toString('latin1', valueStart, valueEnd), category)
}
