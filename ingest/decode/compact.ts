import { asMachineRef, type MachineRef, noMachine } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import {
  categories,
  flags,
  hasRefs,
  isOfSeveral,
  type MachineName,
  maxCompactSamples,
  otherMachine,
  type Unplaced,
} from './compact-writer.ts'
import { areCanonicalNames } from './fields.ts'
import type { MachineInfo } from './machine.ts'
import type { CanonicalNames } from './names.ts'
import {
  type Accepted,
  type DecodeContext,
  type Decoded,
  isAccepted,
  type NamedMachine,
  type Rejection,
  validateCompact,
} from './validate.ts'
import { wireSample } from './wire-sample.ts'

/** Maximum size of a record, in bytes: more than a full record and its last sample can have. */
const maxRecordBytes = 524_288
/** Maximum length of a machine's id, in UTF-16 units. */
const maxIdLength = 200
/** Maximum size of the names of a sample: many samples may share them, and each dead letter would repeat them. */
export const maxNamesBytes = 8_192
const maxKind = 2 + flags.message + flags.numbers

/** Machines of a compact record, and the index of the first byte of its samples. */
export interface CompactMachines {
  readonly names: readonly MachineName[]
  readonly at: number
}

/** Names of samples, and which further fields these have. */
interface CompactNames {
  readonly kind: number
  readonly names: CanonicalNames
  /** Whether decoding JSON may have returned these names; a client of the log may write any other names. */
  readonly areCanonical: boolean
}

/** Receives a sample of a compact record, with the index of its machine. Samples with the same names share the object of their names. */
export type VisitCompact = (sample: Unplaced, machine: number, names: CompactNames) => void

/** Samples of a compact record. */
export interface CompactRecord {
  readonly machines: readonly MachineName[]
  /** Visits each sample. */
  readonly each: (visit: VisitCompact) => void
}

/**
 * Decodes a compact record. Any client of the log may write one, so each sample is validated by the rules for JSON. Never throws; a record that
 * is damaged, or that `CompactSamples` cannot have written, is rejected as a whole.
 */
export function decodeCompact(value: Buffer, context: DecodeContext): Decoded {
  const accepted: Accepted[] = []
  const rejected: Rejection[] = []
  let index = 0
  try {
    const { machines, each } = readCompact(value)
    const named = machines.map(name => findNamed(name, context))
    each((unplaced, place, { areCanonical }) => {
      if (index === maxCompactSamples) throw new DamagedRecord(`It has more than ${maxCompactSamples} samples`)
      const own = named[place] ?? unnamed
      const sample = { machineRef: own.machine?.ref ?? noMachine, ...unplaced }
      const result = validateCompact(sample, areCanonical, index++, own, context)
      if (isAccepted(result)) accepted.push(result)
      else rejected.push({ ...result, value: rejectedValue(own, sample) })
    })
    return { accepted, rejected }
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error
    const message = `Damaged record: ${error.message}`
    return { accepted: [], rejected: [{ index: 0, reason: 'invalid_json', message, value: value.toString('base64') }] }
  }
}

const unnamed: NamedMachine = { machineId: '', machine: undefined }

/** Finds a machine that a compact record names. */
export function namedMachine(
  name: MachineName,
  { machine, machineByRef }: Pick<DecodeContext, 'machine' | 'machineByRef'>,
): MachineInfo | undefined {
  return typeof name === 'string' ? machine(name) : machineByRef?.(name)
}

function findNamed(name: MachineName, context: DecodeContext): NamedMachine {
  const machine = namedMachine(name, context)
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

/** Reads the machines of a compact record; null: it ends within them, or they are invalid. */
export function machinesOfCompact(value: Buffer): CompactMachines | null {
  return orNull(() => readMachines(value))
}

/** Returns what `read` returns; null if the record is damaged. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DamagedRecord) return null
    throw error
  }
}

function readMachines(value: Buffer): CompactMachines {
  if (value.length > maxRecordBytes) throw new DamagedRecord(`It has more than ${maxRecordBytes} bytes`)
  const reader = new CompactReader(value, 1)
  const names: MachineName[] = []
  const count = isOfSeveral(value) ? reader.number() : 1
  const haveRefs = hasRefs(value)
  if (count > maxCompactSamples) throw new DamagedRecord(`It has more than ${maxCompactSamples} machines`)
  while (names.length < count) names.push(haveRefs ? asMachineRef(reader.number()) : readId(reader))
  return { names, at: reader.at }
}

function readId(reader: CompactReader): string {
  const id = reader.text()
  if (id.length > maxIdLength) throw new DamagedRecord('The id of a machine is too long')
  return id
}

/** Reads a compact record without validating names, values and timestamps. Throws a `DamagedRecord`, also while samples are visited. */
export function readCompact(value: Buffer): CompactRecord {
  const { names: machines, at } = readMachines(value)
  return {
    machines,
    each: visit => {
      const reader = new CompactReader(value, at)
      const known: CompactNames[] = []
      while (!reader.isAtEnd) {
        reader.head()
        const { names: index, machine } = reader
        if (machine >= machines.length) throw new DamagedRecord('A sample is of no machine of its record')
        const own = known[index] ?? readCompactNames(reader)
        if (index === known.length) known.push(own)
        else if (index > known.length) throw new DamagedRecord('The names of a sample are not there')
        reader.time()
        const { atUs } = reader
        if (!Number.isSafeInteger(atUs)) throw new DamagedRecord('The time of a sample is too far away')
        const value = reader.text()
        const hasNumbers = (own.kind & flags.numbers) !== 0
        const { key, type, subtype, category, nativeCode, nativeSeverity, qualifier } = own.names
        const sample = {
          atUs,
          key,
          type,
          subtype,
          category,
          value,
          nativeCode,
          nativeSeverity,
          qualifier,
          message: (own.kind & flags.message) === 0 ? '' : reader.text(),
          instanceId: hasNumbers ? reader.number() : null,
          sequence: hasNumbers ? reader.number() : null,
        }
        visit(sample, machine, own)
      }
    },
  }
}

/** Reads names. Throws a `DamagedRecord` if they end too late or are too long, or if their kind is unknown. */
export function readCompactNames(reader: CompactReader): CompactNames {
  const start = reader.at
  const kind = reader.number()
  const category = categories[kind & 3]
  if (category === undefined || kind > maxKind) throw new DamagedRecord('The kind of a sample is not known')
  const names = {
    category,
    key: reader.text(),
    type: reader.text(),
    subtype: reader.text(),
    nativeCode: reader.text(),
    nativeSeverity: reader.text(),
    qualifier: reader.text(),
  }
  if (reader.at - start > maxNamesBytes) throw new DamagedRecord('The names of a sample are too long')
  return { kind, names, areCanonical: areCanonicalNames(names) }
}

/** Reads the parts of a compact record in their order. Throws a `DamagedRecord` if it ends too soon, or a number is too large. */
export class CompactReader {
  /** Index of the names of the current sample, and of its machine. */
  names = 0
  machine = 0
  /** UTC µs. */
  atUs = 0
  /** Index of the next byte. */
  at: number
  readonly #bytes: Buffer
  readonly #isSeveral: boolean
  #isEarlier = false

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#isSeveral = isOfSeveral(bytes)
    this.at = start
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  /** Reads the start of a sample: the index of its names and its machine. */
  head(): void {
    const head = this.number()
    this.#isEarlier = head % 2 === 1
    this.names = Math.floor(head / (this.#isSeveral ? 4 : 2))
    if (this.#isSeveral && (head & otherMachine) !== 0) this.machine = this.number()
  }

  /** Reads the time of a sample, which follows its head and new names. */
  time(): void {
    const sinceUs = this.number()
    this.atUs += this.#isEarlier ? -sinceUs : sinceUs
  }

  text(): string {
    const start = this.at
    const length = this.number()
    if (length === 0) return ''
    const from = this.at
    this.at += length
    if (this.at > this.#bytes.length) throw new DamagedRecord(`A text at byte ${start} of a record ends too late`)
    return this.#bytes.toString('utf8', from, this.at)
  }

  /** Reads a LEB128 number. */
  number(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw new DamagedRecord('A record ends within a sample')
    return byte < 0x80 ? byte : this.#longNumber(byte & 0x7f)
  }

  /** Reads a number of more than one byte. */
  #longNumber(low: number): number {
    let value = low
    for (let factor = 0x80; factor <= maxFactor; factor *= 0x80) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw new DamagedRecord('A record ends within a sample')
      value += (byte & 0x7f) * factor
      if (byte >= 0x80) continue
      if (value > Number.MAX_SAFE_INTEGER) throw new DamagedRecord('A number of a record is too large')
      return value
    }
    throw new DamagedRecord('A number of a record is too long')
  }
}

/** Factor of the last byte that a number may have: eight bytes contain each safe integer. */
const maxFactor = 0x80 ** 7

/** A record ends too soon, or `CompactSamples` cannot have written it. */
class DamagedRecord extends RangeError {}
