import type { MachineRef } from '../../schema/refs.ts'
import { type Category, type Sample, unsaid } from '../../schema/sample.ts'
import type { DataItemNames } from './sample.ts'

/**
 * Accepted samples in few bytes, as the log keeps them: they are not written as JSON and parsed again. No JSON text begins with one of the
 * first bytes. After it come the machine's id and the samples: each has the number of its names (new ones follow at once), the time since the
 * sample before, its value, and what its names say it has beside. Numbers are LEB128, texts UTF-8 after their length; half a surrogate pair
 * becomes U+FFFD, as in the store.
 *
 * A record of several machines has the number of its machines and their refs: an id would take more than all else about a sample that came
 * alone. A sample that is not of the machine of the one before (the first one is) says so beside the number of its names, and the place of
 * its machine follows.
 */
const firstByte = { one: 1, severalById: 2, several: 3 } as const

/** Names a machine in a compact record: the id of the only one, in lower case, or the ref of one of several. */
export type MachineName = string | MachineRef

/** Whether a record holds compact samples. */
export function isCompact(value: Uint8Array): boolean {
  return value[0] === firstByte.one || isOfSeveral(value)
}

/** Whether a compact record may hold samples of several machines. */
export function isOfSeveral(value: Uint8Array): boolean {
  return value[0] === firstByte.several || value[0] === firstByte.severalById
}

/** Samples that a record has at most: a reader refuses one with more. */
export const mostOfCompact = 2_000
/** In bytes; the log takes records of up to a megabyte. */
const fullLength = 200_000

/** Whether a compact record names its machines by their refs. */
export function hasRefs(value: Uint8Array): boolean {
  return value[0] === firstByte.several
}

/** A sample without its machine. */
export type Unplaced = Omit<Sample, 'machineRef'>

/** Categories by their numbers in a kind. */
export const categories: readonly Category[] = ['SAMPLE', 'EVENT', 'CONDITION']
/** Flags of a kind: what samples have beside names and a value. */
export const flags = { message: 4, numbers: 8 } as const

/** A sample that has names and a value alone. `names` of samples that have the same are the same object. */
export interface PackedPlain {
  readonly atUs: number
  readonly names: DataItemNames
  /** null: it is the bytes from `valueStart` to `valueEnd` of `json`, ASCII. */
  readonly value: string | null
  readonly json: Buffer
  readonly valueStart: number
  readonly valueEnd: number
}

/** The value of a plain sample as text. */
export function plainValue({ value, json, valueStart, valueEnd }: PackedPlain): string {
  return value ?? json.toString('latin1', valueStart, valueEnd)
}

interface Names {
  readonly index: number
  readonly kind: number
  readonly sample: Unplaced
}

/** Packs samples, in their order. Between the times of two samples there are no more than 2^53 µs, 285 years. */
export class CompactSamples {
  /** Places of machines by their refs; null: all samples are of one machine. */
  readonly #machines: Map<MachineRef, number> | null
  /** Place of the machine of the sample before, and of the next. */
  #machine = 0
  #other = 0
  #bytes: Buffer
  #length = 0
  #count = 0
  #names = 0
  #atUs = 0
  readonly #byKey = new Map<string, Names[]>()
  readonly #plain = new Map<DataItemNames, number>()

  /** `machineId` null: samples of several machines, each after `of`. */
  constructor(machineId: string | null) {
    this.#machines = machineId === null ? new Map() : null
    this.#bytes = Buffer.allocUnsafe(machineId === null ? 4_096 : 512)
    if (machineId === null) return
    this.#room(machineId.length)
    this.#bytes[this.#length++] = firstByte.one
    this.#text(machineId)
  }

  /** The samples that follow are of this machine. Only in a record of several. */
  of(machine: MachineRef): void {
    const machines = this.#machines
    if (machines === null) throw new Error('invariant: a record of one machine has no others')
    const known = machines.get(machine)
    this.#other = known ?? machines.size
    if (known === undefined) machines.set(machine, machines.size)
  }

  /** Number of samples. */
  get count(): number {
    return this.#count
  }

  /** Number of bytes; of a record of several machines a bound. */
  get length(): number {
    return this.#machines === null ? this.#length : this.#length + this.#machines.size * refBytes + headBytes
  }

  /** Whether nothing more may be added: it would not be read, or not fit the log. */
  get isFull(): boolean {
    return this.#count >= mostOfCompact || this.length >= fullLength
  }

  add(sample: Unplaced): void {
    const { atUs, value, message, instanceId, sequence } = sample
    this.#room(value.length + message.length)
    const known = this.#find(sample)
    const sinceUs = atUs - this.#atUs
    this.#head(known?.index ?? this.#names, sinceUs < 0)
    const { kind } = known ?? this.#addNames(sample)
    this.#number(Math.abs(sinceUs))
    this.#text(value)
    if ((kind & flags.message) !== 0) this.#text(message)
    if ((kind & flags.numbers) !== 0) {
      this.#number(instanceId ?? 0)
      this.#number(sequence ?? 0)
    }
    this.#atUs = atUs
    this.#count++
  }

  /** Adds a sample that has names and a value alone, and writes it as `add` does. */
  addPlain(plain: PackedPlain): void {
    const { atUs, names, value, json, valueStart, valueEnd } = plain
    const known = this.#plain.get(names)
    if (known === undefined) return this.#addFirst(plain)
    this.#room(value === null ? valueEnd - valueStart : value.length)
    const sinceUs = atUs - this.#atUs
    this.#head(known, sinceUs < 0)
    this.#number(Math.abs(sinceUs))
    if (value === null) {
      this.#number(valueEnd - valueStart)
      const bytes = this.#bytes
      let at = this.#length
      // A call out of JavaScript takes longer than a short text.
      for (let from = valueStart; from < valueEnd; from++) bytes[at++] = json[from] ?? 0
      this.#length = at
    } else this.#text(value)
    this.#atUs = atUs
    this.#count++
  }

  /** Adds the first plain sample of its names. */
  #addFirst(plain: PackedPlain): void {
    const sample = { atUs: plain.atUs, ...plain.names, value: plainValue(plain), ...unsaid }
    const before = this.#names
    this.add(sample)
    const index = this.#names > before ? before : this.#find(sample)?.index
    if (index !== undefined) this.#plain.set(plain.names, index)
  }

  /** All of them; nothing must be added after. */
  bytes(): Buffer {
    if (this.#machines !== null) this.#placeMachines(this.#machines)
    return this.#bytes.subarray(0, this.#length)
  }

  /** Writes the machines before the samples. */
  #placeMachines(machines: ReadonlyMap<MachineRef, number>): void {
    const samples = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.allocUnsafe(this.length)
    this.#bytes[0] = firstByte.several
    this.#length = 1
    this.#number(machines.size)
    for (const ref of machines.keys()) this.#number(ref)
    samples.copy(this.#bytes, this.#length)
    this.#length += samples.length
  }

  /** Writes the number of the names, and of the machine where that is another. */
  #head(names: number, isEarlier: boolean): void {
    const earlier = isEarlier ? 1 : 0
    if (this.#machines === null) return this.#number(2 * names + earlier)
    if (this.#other === this.#machine) return this.#number(4 * names + earlier)
    this.#number(4 * names + otherMachine + earlier)
    this.#number(this.#other)
    this.#machine = this.#other
  }

  #find(sample: Unplaced): Names | undefined {
    const named = this.#byKey.get(sample.key)
    if (named === undefined) return undefined
    const kind = kindOf(sample)
    for (const names of named) if (names.kind === kind && isNamedAs(names.sample, sample)) return names
    return undefined
  }

  #addNames(sample: Unplaced): Names {
    const { key, type, subtype, nativeCode, nativeSeverity, qualifier } = sample
    const names = { index: this.#names++, kind: kindOf(sample), sample }
    const named = this.#byKey.get(key)
    if (named === undefined) this.#byKey.set(key, [names])
    else named.push(names)
    this.#room(key.length + type.length + subtype.length + nativeCode.length + nativeSeverity.length + qualifier.length)
    this.#number(names.kind)
    for (const text of [key, type, subtype, nativeCode, nativeSeverity, qualifier]) this.#text(text)
    this.#room(sample.value.length + sample.message.length)
    return names
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
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  /** Makes room for texts of so many UTF-16 units, and for all numbers of a sample. */
  #room(units: number): void {
    const least = this.#length + units * 3 + numbersBytes
    if (least <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(least, this.#bytes.length * 4))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Whether samples of one key have the same names. */
function isNamedAs(one: Unplaced, other: Unplaced): boolean {
  return (
    one.type === other.type &&
    one.subtype === other.subtype &&
    one.nativeCode === other.nativeCode &&
    one.nativeSeverity === other.nativeSeverity &&
    one.qualifier === other.qualifier
  )
}

/** In UTF-16 units: a text whose length takes one byte. */
const shortText = 64
const numbersBytes = 128
/** The first byte, and the number of machines. */
const headBytes = 6
/** The most that a ref takes. */
const refBytes = 8
/** Beside the number of names, in a record of several machines: the sample is of another machine than the one before. */
export const otherMachine = 2

function kindOf({ category, message, instanceId, sequence }: Unplaced): number {
  const hasNumbers = instanceId !== null && sequence !== null
  return categories.indexOf(category) + (message === '' ? 0 : flags.message) + (hasNumbers ? flags.numbers : 0)
}
