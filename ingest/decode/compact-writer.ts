import { isNamedAs, type SampleNames } from '../../clickhouse/samples/sample-columns.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { Category, Sample } from '../../schema/sample.ts'
import type { PlainSample } from './validate.ts'

/**
 * The compact form of accepted samples in the log, which saves writing and parsing JSON. No JSON begins with one of these first bytes. After
 * it follow the machine's id and the samples. Each sample has the index of its names (new names follow the index), the time since the
 * previous sample, its value, and the further fields that its names announce. Numbers are LEB128, strings UTF-8 after their length; half a
 * surrogate pair becomes U+FFFD, as in the store.
 *
 * A record of several machines has the number of its machines and their refs instead of an id: an id would take more bytes than the rest of a
 * sample that was sent outside a batch. If a sample is of another machine than the previous one (for the first sample: than the first
 * machine), a flag beside the index of its names is set, and the index of the machine follows.
 */
const firstByte = { one: 1, severalById: 2, several: 3 } as const

/** Identifies a machine in a compact record: its id in lower case in a record of one machine, its ref in a record of several. */
export type MachineName = string | MachineRef

/** Whether a record contains compact samples. */
export function isCompact(value: Uint8Array): boolean {
  return value[0] === firstByte.one || isOfSeveral(value)
}

/** Whether a compact record may contain samples of several machines. */
export function isOfSeveral(value: Uint8Array): boolean {
  return value[0] === firstByte.several || value[0] === firstByte.severalById
}

/** Whether a compact record identifies its machines by their refs. */
export function hasRefs(value: Uint8Array): boolean {
  return value[0] === firstByte.several
}

/** Maximum number of samples in a record; readers reject a record with more. */
export const maxCompactSamples = 2_000
/** Size of a full record, in bytes; the log accepts records of up to a megabyte. */
const fullLength = 200_000

/** A sample without its machine. */
export type Unplaced = Omit<Sample, 'machineRef'>

/** Categories by their numbers in a kind. */
export const categories: readonly Category[] = ['SAMPLE', 'EVENT', 'CONDITION']
/** Flags of a kind: fields of its samples beside names and value. */
export const flags = { message: 4, numbers: 8 } as const
/** Flag beside the index of names in a record of several machines: the sample is of another machine than the previous one. */
export const otherMachine = 2

interface Names {
  readonly index: number
  readonly kind: number
  readonly names: SampleNames
}

/** Writes a compact record. The times of consecutive samples differ by at most 2^53 µs, 285 years. */
export class CompactSamples {
  /** Indexes of machines by their refs; null: all samples are of one machine. */
  readonly #machines: Map<MachineRef, number> | null
  /** Index of the machine of the previous sample, and of the next. */
  #machine = 0
  #nextMachine = 0
  #bytes: Buffer
  #length = 0
  #count = 0
  #names = 0
  #atUs = 0
  readonly #byKey = new Map<string, Names[]>()
  /** Indexes of the names of plain samples by object identity. */
  readonly #plain = new Map<SampleNames, number>()

  /** `machineId` null: samples of several machines; call `of` before the samples of each. */
  constructor(machineId: string | null) {
    this.#machines = machineId === null ? new Map() : null
    this.#bytes = Buffer.allocUnsafe(machineId === null ? 4_096 : 512)
    if (machineId === null) return
    this.#reserve(machineId.length)
    this.#bytes[this.#length++] = firstByte.one
    this.#text(machineId)
  }

  /** Sets the machine of the following samples; only in a record of several. */
  of(machine: MachineRef): void {
    const machines = this.#machines
    if (machines === null) throw new Error('invariant: a record of one machine has no others')
    const known = machines.get(machine)
    this.#nextMachine = known ?? machines.size
    if (known === undefined) machines.set(machine, machines.size)
  }

  get count(): number {
    return this.#count
  }

  /** Number of bytes; an upper bound for a record of several machines. */
  get length(): number {
    return this.#machines === null ? this.#length : this.#length + this.#machines.size * refBytes + headBytes
  }

  /** Whether nothing more may be added: readers would reject the record, or it would not fit the log. */
  get isFull(): boolean {
    return this.#count >= maxCompactSamples || this.length >= fullLength
  }

  add(sample: Unplaced): void {
    const { value, message, instanceId, sequence } = sample
    const kind = kindOf(sample)
    this.#begin(this.#find(sample, kind)?.index, sample, kind, sample.atUs)
    this.#reserve(value.length + message.length)
    this.#text(value)
    if ((kind & flags.message) !== 0) this.#text(message)
    if ((kind & flags.numbers) !== 0) {
      this.#number(instanceId ?? 0)
      this.#number(sequence ?? 0)
    }
  }

  /** Adds a plain sample; writes the same bytes as `add`. */
  addPlain({ names, atUs, bytes, start, end }: Omit<PlainSample, 'machine'>): void {
    let index = this.#plain.get(names)
    if (index === undefined) {
      const kind = categories.indexOf(names.category)
      const known = this.#find(names, kind)?.index
      this.#plain.set(names, known ?? this.#names)
      this.#begin(known, names, kind, atUs)
    } else this.#begin(index, names, 0, atUs)
    this.#reserve(end - start)
    this.#number(end - start)
    const into = this.#bytes
    let at = this.#length
    // Copying a short string by a call out of JavaScript takes longer.
    for (let from = start; from < end; from++) into[at++] = bytes[from] ?? 0
    this.#length = at
  }

  /** Returns the record; nothing must be added afterwards. */
  bytes(): Buffer {
    if (this.#machines !== null) this.#insertMachines(this.#machines)
    return this.#bytes.subarray(0, this.#length)
  }

  /** Inserts the machines before the samples. */
  #insertMachines(machines: ReadonlyMap<MachineRef, number>): void {
    const samples = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.allocUnsafe(this.length)
    this.#bytes[0] = firstByte.several
    this.#length = 1
    this.#number(machines.size)
    for (const ref of machines.keys()) this.#number(ref)
    samples.copy(this.#bytes, this.#length)
    this.#length += samples.length
  }

  /** Writes what precedes the value of a sample. `index`: that of its names; undefined: they are new. */
  #begin(index: number | undefined, names: SampleNames, kind: number, atUs: number): void {
    this.#reserve(0)
    const sinceUs = atUs - this.#atUs
    this.#head(index ?? this.#names, sinceUs < 0 ? 1 : 0)
    if (index === undefined) this.#addNames(names, kind)
    this.#number(Math.abs(sinceUs))
    this.#atUs = atUs
    this.#count++
  }

  /** Writes the index of the names, and that of the machine if it differs from the previous one. */
  #head(names: number, earlier: number): void {
    if (this.#machines === null) return this.#number(2 * names + earlier)
    if (this.#machine === this.#nextMachine) return this.#number(4 * names + earlier)
    this.#number(4 * names + otherMachine + earlier)
    this.#number(this.#nextMachine)
    this.#machine = this.#nextMachine
  }

  #find(names: SampleNames, kind: number): Names | undefined {
    return this.#byKey.get(names.key)?.find(known => known.kind === kind && isNamedAs(known.names, names))
  }

  #addNames(names: SampleNames, kind: number): void {
    const { key, type, subtype, nativeCode, nativeSeverity, qualifier } = names
    const known = this.#byKey.get(key)
    const added = { index: this.#names++, kind, names }
    if (known === undefined) this.#byKey.set(key, [added])
    else known.push(added)
    const texts = [key, type, subtype, nativeCode, nativeSeverity, qualifier]
    this.#reserve(texts.reduce((units, text) => units + text.length, 0))
    this.#number(kind)
    for (const text of texts) this.#text(text)
    this.#reserve(0)
  }

  #text(text: string): void {
    const start = this.#length
    if (text.length < shortText) {
      const bytes = this.#bytes
      let at = start
      bytes[at++] = text.length
      let i = 0
      for (; i < text.length; i++) {
        const code = text.charCodeAt(i)
        if (code > 0x7f) break
        bytes[at++] = code
      }
      this.#length = at
      if (i === text.length) return
      this.#length = start
    }
    this.#number(Buffer.byteLength(text))
    this.#length += this.#bytes.write(text, this.#length)
  }

  #number(value: number): void {
    let remaining = value
    while (remaining >= 0x80) {
      this.#bytes[this.#length++] = (remaining % 0x80) | 0x80
      remaining = Math.floor(remaining / 0x80)
    }
    this.#bytes[this.#length++] = remaining
  }

  /** Ensures capacity for strings of this total length in UTF-16 units, and for all numbers of a sample. */
  #reserve(units: number): void {
    const required = this.#length + units * 3 + numbersBytes
    if (required <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(required, this.#bytes.length * 4))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** In UTF-16 units: the length of a shorter string takes one byte. */
const shortText = 64
const numbersBytes = 128
/** Maximum size of the first byte and the number of machines. */
const headBytes = 6
/** Maximum size of a ref. */
const refBytes = 8

function kindOf({ category, message, instanceId, sequence }: Unplaced): number {
  const hasNumbers = instanceId !== null && sequence !== null
  return categories.indexOf(category) + (message === '' ? 0 : flags.message) + (hasNumbers ? flags.numbers : 0)
}
