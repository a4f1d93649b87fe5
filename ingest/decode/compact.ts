import { isUtf8 } from 'node:buffer'
import type { SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import { asMachineRef, type MachineRef, noMachine } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import { ByteCache, hashOf } from './bytes.ts'
import {
  categories,
  flags,
  hasRefs,
  isOfSeveral,
  type MachineName,
  maxCompactSamples,
  otherMachine,
} from './compact-writer.ts'
import { wireSample } from './dead-letters.ts'
import { areCanonicalNames, hasCanonicalValue, maxTextLength, mayBeUnavailable } from './fields.ts'
import {
  type Accepted,
  type DecodeContext,
  type Decoded,
  isAccepted,
  type MachineInfo,
  type NamedMachine,
  type Rejection,
  SampleReader,
  validateCompact,
} from './validate.ts'

/** Maximum size of a record, in bytes: more than a full record and its last sample can have. */
const maxRecordBytes = 524_288
/** Maximum length of a machine's id, in UTF-16 units. */
const maxIdLength = 200
/** Maximum size of the names of a sample: many samples may share them, and each dead letter would repeat them. */
const maxNamesBytes = 8_192
const maxKind = 2 + flags.message + flags.numbers
/** Number of kinds of plain samples: SAMPLE and EVENT without further fields. */
const plainKinds = 2

/** Names of samples, and which further fields these have. */
interface CompactNames {
  readonly kind: number
  readonly names: SampleNames
  /** Whether decoding JSON may have returned these names; a client of the log may write any other names. */
  readonly areCanonical: boolean
}

/**
 * Decodes a compact record. Any client of the log may write one, so each sample is validated by the rules for JSON. Never throws; a record that
 * is damaged, or that `CompactSamples` cannot have written, is rejected as a whole.
 */
export function decodeCompact(value: Buffer, context: DecodeContext): Decoded {
  const accepted: Accepted[] = []
  const rejected: Rejection[] = []
  const reader = new CompactReader(value, context)
  try {
    for (let index = 0; reader.read(); index++) {
      const named = findNamed(reader.machineName, context)
      const sample = { machineRef: named.machine?.ref ?? noMachine, ...reader.sample() }
      const result = validateCompact(sample, reader.areNamesCanonical, index, named, context)
      if (isAccepted(result)) accepted.push(result)
      else rejected.push({ ...result, value: rejectedValue(named, sample) })
    }
    return { accepted, rejected }
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error
    const message = `Damaged record: ${error.message}`
    return { accepted: [], rejected: [{ index: 0, reason: 'invalid_json', message, value: value.toString('base64') }] }
  }
}

function findMachine(name: MachineName, { machine, machineByRef }: DecodeContext): MachineInfo | undefined {
  return typeof name === 'string' ? machine(name) : machineByRef?.(name)
}

function findNamed(name: MachineName, context: DecodeContext): NamedMachine {
  const machine = findMachine(name, context)
  if (typeof name === 'string') return { machineId: name, machine }
  return machine
    ? { machineId: machine.id.toLowerCase(), machine }
    : { machineId: undefined, machine, unknownRef: name }
}

/** Returns a rejected sample as JSON. If no machine has the ref, the id is unknown, and `machineRef` takes its place. */
function rejectedValue({ machineId = '', unknownRef }: NamedMachine, sample: Sample): string {
  const { machineId: id, ...fields } = wireSample(machineId, sample)
  const machine: { readonly machineId: string } | { readonly machineRef: MachineRef } =
    unknownRef === undefined ? { machineId: id } : { machineRef: unknownRef }
  return JSON.stringify({ ...machine, ...fields })
}

/**
 * Reads a compact record: plain samples by `next`, or any by `read` without validation of names, values and times. `read` throws a
 * `DamagedRecord` if the record ends too soon, or `CompactSamples` cannot have written it.
 */
export class CompactReader extends SampleReader {
  readonly #isSeveral: boolean
  #machines: readonly MachineName[] | null = null
  /** Indexes of the machine of the current sample, and of `machine`. */
  #named = 0
  #machineAt = -1
  readonly #known: CompactNames[] = []
  #current: CompactNames | null = null
  #message = ''
  #instanceId: number | null = null
  #sequence: number | null = null
  #count = 0
  #at = 1

  constructor(bytes: Buffer, context: DecodeContext) {
    super(bytes, context)
    this.#isSeveral = isOfSeveral(bytes)
  }

  next(): 'sample' | 'end' | 'other' {
    try {
      if (!this.read()) return 'end'
    } catch (error) {
      if (error instanceof DamagedRecord) return 'other'
      throw error
    }
    const { bytes, start, end } = this
    if (this.#named !== this.#machineAt && !this.#findMachine()) return 'other'
    if (!this.areNamesCanonical || (this.#current?.kind ?? plainKinds) >= plainKinds) return 'other'
    return this.isInTime() && isCanonical(bytes, start, end) ? 'sample' : 'other'
  }

  /** Reads the next sample; false: there is none. */
  read(): boolean {
    this.#machines ??= this.#readMachines()
    if (this.#at >= this.bytes.length) {
      if (this.#count === 0) throw new DamagedRecord('It has no samples')
      return false
    }
    if (++this.#count > maxCompactSamples) throw new DamagedRecord(`It has more than ${maxCompactSamples} samples`)
    const head = this.#number()
    if (this.#isSeveral && (head & otherMachine) !== 0) this.#named = this.#number()
    if (this.#named >= this.#machines.length) throw new DamagedRecord('A sample is of no machine of its record')
    const { kind, names } = this.#useNames(Math.floor(head / (this.#isSeveral ? 4 : 2)))
    this.names = names
    const sinceUs = this.#number()
    this.atUs += head % 2 === 1 ? -sinceUs : sinceUs
    if (!Number.isSafeInteger(this.atUs)) throw new DamagedRecord('The time of a sample is too far away')
    const length = this.#number()
    this.start = this.#at
    this.end = this.#skip(length)
    if (kind < plainKinds) return true
    this.#message = (kind & flags.message) === 0 ? '' : this.#text()
    const hasNumbers = (kind & flags.numbers) !== 0
    this.#instanceId = hasNumbers ? this.#number() : null
    this.#sequence = hasNumbers ? this.#number() : null
    return true
  }

  /** Identifies the machine of the sample that was read last. */
  get machineName(): MachineName {
    return this.#machines?.[this.#named] ?? ''
  }

  /** Whether decoding JSON may have returned the names of the sample that was read last. */
  get areNamesCanonical(): boolean {
    return this.#current?.areCanonical === true
  }

  /** Returns the sample that was read last. */
  sample(): Omit<Sample, 'machineRef'> {
    const { key, type, subtype, category, nativeCode, nativeSeverity, qualifier } = this.names
    const isPlain = (this.#current?.kind ?? 0) < plainKinds
    return {
      atUs: this.atUs,
      key,
      type,
      subtype,
      category,
      value: this.bytes.toString('utf8', this.start, this.end),
      nativeCode,
      nativeSeverity,
      qualifier,
      message: isPlain ? '' : this.#message,
      instanceId: isPlain ? null : this.#instanceId,
      sequence: isPlain ? null : this.#sequence,
    }
  }

  #readMachines(): readonly MachineName[] {
    const { bytes } = this
    if (bytes.length > maxRecordBytes) throw new DamagedRecord(`It has more than ${maxRecordBytes} bytes`)
    const count = this.#isSeveral ? this.#number() : 1
    if (count > maxCompactSamples) throw new DamagedRecord(`It has more than ${maxCompactSamples} machines`)
    const names: MachineName[] = []
    while (names.length < count) {
      const name = hasRefs(bytes) ? asMachineRef(this.#number()) : this.#text()
      if (typeof name === 'string' && name.length > maxIdLength)
        throw new DamagedRecord('The id of a machine is too long')
      names.push(name)
    }
    return names
  }

  /** Looks up the machine of the current sample; false: it does not exist. */
  #findMachine(): boolean {
    if (!this.useMachine(findMachine(this.machineName, this.context))) return false
    this.#machineAt = this.#named
    return true
  }

  /** Returns the names of an index; reads them if they are new. */
  #useNames(index: number): CompactNames {
    const known = this.#known[index]
    if (known !== undefined) return (this.#current = known)
    if (index > this.#known.length) throw new DamagedRecord('The names of a sample are not there')
    this.#known.push((this.#current = this.#readNames()))
    return this.#current
  }

  /** Reads names; those that any record had before are neither decoded nor validated again. */
  #readNames(): CompactNames {
    const { bytes } = this
    const start = this.#at
    const kind = this.#number()
    const textsAt = this.#at
    const category = categories[kind & 3]
    if (category === undefined || kind > maxKind) throw new DamagedRecord('The kind of a sample is not known')
    for (let text = 0; text < textsOfNames; text++) this.#skip(this.#number())
    const end = this.#at
    if (end - start > maxNamesBytes) throw new DamagedRecord('The names of a sample are too long')
    const hash = hashOf(bytes, start, end)
    const known = namesByBytes.find(hash, bytes, start, end)
    if (known !== undefined) return known
    this.#at = textsAt
    const [key, type, subtype] = [this.#text(), this.#text(), this.#text()]
    const names = {
      key,
      type,
      subtype,
      category,
      nativeCode: this.#text(),
      nativeSeverity: this.#text(),
      qualifier: this.#text(),
    }
    const read = { kind, names, areCanonical: areCanonicalNames(names) }
    if (end - start <= maxCachedBytes) namesByBytes.store(hash, bytes, start, end, read)
    return read
  }

  #text(): string {
    const length = this.#number()
    return length === 0 ? '' : this.bytes.toString('utf8', this.#at, this.#skip(length))
  }

  /** Skips bytes and returns the index after them. */
  #skip(length: number): number {
    const start = this.#at
    this.#at += length
    if (this.#at > this.bytes.length) throw new DamagedRecord(`A text at byte ${start} of a record ends too late`)
    return this.#at
  }

  /** Reads a LEB128 number. */
  #number(): number {
    const byte = this.bytes[this.#at++]
    if (byte === undefined) throw new DamagedRecord('A record ends within a sample')
    return byte < 0x80 ? byte : this.#longNumber(byte & 0x7f)
  }

  /** Reads a number of more than one byte. */
  #longNumber(low: number): number {
    let value = low
    for (let factor = 0x80; factor <= maxFactor; factor *= 0x80) {
      const byte = this.bytes[this.#at++]
      if (byte === undefined) throw new DamagedRecord('A record ends within a sample')
      value += (byte & 0x7f) * factor
      if (byte >= 0x80) continue
      if (value > Number.MAX_SAFE_INTEGER) throw new DamagedRecord('A number of a record is too large')
      return value
    }
    throw new DamagedRecord('A number of a record is too long')
  }
}

/** Names are a kind and six strings. */
const textsOfNames = 6
const namesByBytes = new ByteCache<CompactNames>()
/** Longer names are decoded each time. */
const maxCachedBytes = 300

/** Whether these bytes are valid UTF-8 and the canonical value of a sample or an event. */
function isCanonical(bytes: Buffer, start: number, end: number): boolean {
  let bits = 0
  for (let at = start; at < end; at++) bits |= bytes[at] ?? 0
  if (bits <= lastAscii && end - start <= maxTextLength && !mayBeUnavailable(bytes, start, end)) return true
  const value = bytes.toString('utf8', start, end)
  return isUtf8(bytes.subarray(start, end)) && hasCanonicalValue({ value, category: 'EVENT', message: '' })
}

const lastAscii = 0x7f

/** Factor of the last byte that a number may have: eight bytes contain each safe integer. */
const maxFactor = 0x80 ** 7

/** A record ends too soon, or `CompactSamples` cannot have written it. */
class DamagedRecord extends RangeError {}
