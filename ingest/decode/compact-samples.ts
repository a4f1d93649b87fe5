import type { Category, Sample } from '../../schema/sample.ts'
import type { SampleNames } from './sample.ts'

/**
 * Accepted samples of one machine in few bytes, as the embedded log keeps them: what was checked once is not written as JSON and parsed
 * again. No JSON text begins with the first byte. After it come the machine's id and the samples: each has the number of its names (new
 * ones follow at once), the time since the sample before, its value, and what its names say it has beside. Numbers are LEB128, texts UTF-8
 * after their length; half a surrogate pair becomes U+FFFD, as in the store.
 */
const firstByte = 1

/** Whether a record holds compact samples. */
export function isCompact(value: Uint8Array): boolean {
  return value[0] === firstByte
}

/** A sample without its machine. */
type Unplaced = Omit<Sample, 'machineRef'>

const categories: readonly Category[] = ['SAMPLE', 'EVENT', 'CONDITION']
const flags = { message: 4, numbers: 8 } as const

/** A sample that has names and a value alone. `names` of samples that have the same are the same object. */
export interface PackedPlain {
  readonly atUs: number
  readonly names: SampleNames
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

/** Packs samples of one machine, in their order. Between the times of two samples there are no more than 2^53 µs, 285 years. */
export class CompactSamples {
  #bytes = Buffer.allocUnsafe(512)
  #length = 0
  #count = 0
  #names = 0
  #atUs = 0
  readonly #byKey = new Map<string, Names[]>()
  readonly #plain = new Map<SampleNames, number>()

  constructor(machineId: string) {
    this.#room(machineId.length)
    this.#bytes[this.#length++] = firstByte
    this.#text(machineId)
  }

  /** Number of samples. */
  get count(): number {
    return this.#count
  }

  /** Number of bytes. */
  get length(): number {
    return this.#length
  }

  add(sample: Unplaced): void {
    const { atUs, value, message, instanceId, sequence } = sample
    this.#room(value.length + message.length)
    const known = this.#find(sample)
    const sinceUs = atUs - this.#atUs
    this.#number(2 * (known?.index ?? this.#names) + (sinceUs < 0 ? 1 : 0))
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
    this.#number(2 * known + (sinceUs < 0 ? 1 : 0))
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
    const sample = { atUs: plain.atUs, ...plain.names, value: plainValue(plain), ...nothingElse }
    const before = this.#names
    this.add(sample)
    const index = this.#names > before ? before : this.#find(sample)?.index
    if (index !== undefined) this.#plain.set(plain.names, index)
  }

  /** All of them; nothing must be added after. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
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

const nothingElse = {
  nativeCode: '',
  nativeSeverity: '',
  qualifier: '',
  message: '',
  instanceId: null,
  sequence: null,
} as const

/** In UTF-16 units: a text whose length takes one byte. */
const shortText = 64
const numbersBytes = 128

function kindOf({ category, message, instanceId, sequence }: Unplaced): number {
  const hasNumbers = instanceId !== null && sequence !== null
  return categories.indexOf(category) + (message === '' ? 0 : flags.message) + (hasNumbers ? flags.numbers : 0)
}

/** Samples of a compact record. */
export interface CompactRecord {
  readonly machineId: string
  /** Calls back with each sample, as one of the machine that is given. */
  readonly each: (machineRef: Sample['machineRef'], visit: (sample: Sample) => void) => void
}

/** Id of the machine of a compact record; null: the record ends within it. */
export function machineOfCompact(value: Buffer): string | null {
  try {
    return new Reader(value, 1).text()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Reads what `CompactSamples` has written. Throws a `RangeError` where the bytes end too soon. */
export function readCompact(value: Buffer): CompactRecord {
  const reader = new Reader(value, 1)
  const machineId = reader.text()
  return {
    machineId,
    each: (machineRef, visit) => {
      const names: ReadNames[] = []
      let atUs = 0
      while (!reader.isAtEnd) {
        const head = reader.number()
        const index = Math.floor(head / 2)
        const own = names[index] ?? readNames(reader)
        if (index === names.length) names.push(own)
        const sinceUs = reader.number()
        atUs += head % 2 === 1 ? -sinceUs : sinceUs
        const value = reader.text()
        const hasNumbers = (own.kind & flags.numbers) !== 0
        visit({
          machineRef,
          atUs,
          key: own.key,
          type: own.type,
          subtype: own.subtype,
          category: own.category,
          value,
          nativeCode: own.nativeCode,
          nativeSeverity: own.nativeSeverity,
          qualifier: own.qualifier,
          message: (own.kind & flags.message) === 0 ? '' : reader.text(),
          instanceId: hasNumbers ? reader.number() : null,
          sequence: hasNumbers ? reader.number() : null,
        })
      }
    },
  }
}

type ReadNames = ReturnType<typeof readNames>

/** Names of samples, and what these have beside. */
export function readNames(reader: Reader) {
  const kind = reader.number()
  return {
    kind,
    category: categories[kind & 3] ?? 'EVENT',
    key: reader.text(),
    type: reader.text(),
    subtype: reader.text(),
    nativeCode: reader.text(),
    nativeSeverity: reader.text(),
    qualifier: reader.text(),
  }
}

/** Reads numbers and texts of a compact record. */
export class Reader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#at = start
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  text(): string {
    const start = this.#at
    const length = this.number()
    if (length === 0) return ''
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new RangeError(`A text at byte ${start} of a record ends too late`)
    return this.#bytes.toString('utf8', from, this.#at)
  }

  number(): number {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('A record ends within a sample')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
}
