import type { SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import type { Sample } from '../../schema/sample.ts'
import type { DeadLetterReason } from '../../schema/topics.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import { dayMs } from '../../shared/time/units.ts'
import { type CompanyRef, type MachineRef, noMachine } from '../../schema/refs.ts'
import { hasCanonicalValue, isInvalid, longNamesError, type RawSample, readSample, readSampleAt } from './fields.ts'

/** How far ahead of the log's clock a timestamp may be. */
const maxAheadMs = dayMs

/** Facts about a machine that decoding needs. */
export interface MachineInfo {
  /** `MachineRecord.id` */
  readonly id: string
  /** `MachineRecord.ref` */
  readonly ref: MachineRef
  /** `CompanyRecord.ref` */
  readonly companyRef: CompanyRef
  readonly maxSampleAgeDays: number
  /** Canonical names of the keys that its settings name (`partCountKey`, `cutSignal`). */
  readonly namedKeys: ReadonlySet<string>
  /** Its part counter: a canonical key, or every PART_COUNT if `key` is null. null: no counter counts its parts. */
  readonly counter: { readonly key: string | null } | null
}

/** Finds a machine by its id in lower case; undefined: the machine does not exist. */
export type MachineLookup = (machineId: string) => MachineInfo | undefined

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

/** A valid sample of names and a value alone, as nearly all samples are. */
export interface PlainSample {
  readonly machine: MachineInfo
  /** In their canonical spelling. Samples with equal names mostly share this object. */
  readonly names: SampleNames
  readonly atUs: number
  /** The value in its canonical spelling, as UTF-8 in some bytes. */
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/** Reads the samples of a record without an object for each: the fields are those of the sample that was read last. */
export abstract class SampleReader implements PlainSample {
  machine!: MachineInfo
  names!: SampleNames
  atUs = 0
  bytes: Buffer
  start = 0
  end = 0
  protected readonly context: DecodeContext
  /** Accepted timestamps of `machine`, UTC µs. */
  #fromUs = 0
  readonly #toUs: number

  constructor(bytes: Buffer, context: DecodeContext) {
    this.bytes = bytes
    this.context = context
    this.#toUs = latestUs(context.appendedAtMs)
  }

  /**
   * Reads the next sample. `other`: some sample of the record is not plain or not valid; then no sample of the record may be used, and the
   * record is decoded by `decodeRecord`.
   */
  abstract next(): 'sample' | 'end' | 'other'

  /** Sets the machine of the following samples; false: it does not exist. */
  protected useMachine(machine: MachineInfo | undefined): boolean {
    if (machine === undefined) return false
    this.machine = machine
    this.#fromUs = earliestUs(machine, this.context.appendedAtMs)
    return true
  }

  /** Whether the timestamp is accepted for the machine. */
  protected isInTime(): boolean {
    return this.atUs >= this.#fromUs && this.atUs <= this.#toUs
  }
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

/** Returns the latest accepted timestamp in a record that the log appended then, UTC µs. */
export function latestUs(appendedAtMs: number): number {
  return (appendedAtMs + maxAheadMs) * 1000
}

/** Returns the earliest accepted timestamp of a machine's samples in that record, UTC µs. */
function earliestUs({ maxSampleAgeDays }: MachineInfo, appendedAtMs: number): number {
  return (appendedAtMs - maxSampleAgeDays * dayMs) * 1000
}

/** Whether a sample passed validation. */
export function isAccepted(result: Accepted | object): result is Accepted {
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
