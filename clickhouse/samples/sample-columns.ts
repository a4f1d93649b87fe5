import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { Sample } from '../../schema/sample.ts'
import type { SampleRow } from './sample-rows.ts'

/** Names that samples of one metric have in common. */
export type SampleNames = Pick<
  Sample,
  'key' | 'type' | 'subtype' | 'category' | 'nativeCode' | 'nativeSeverity' | 'qualifier'
>

/** A sample with names and a value only. */
interface PlainRow {
  readonly machine: { readonly companyRef: CompanyRef; readonly ref: MachineRef }
  readonly atUs: number
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

const usualRoom = 64
/** Maximum number of names per key that are compared. */
const maxNamesPerKey = 16
/** Bytes of a value. */
const expectedBytes = 12

/**
 * Samples side by side in a few arrays, as they wait for their insert: as objects, the garbage collector would copy each of them again and
 * again. Half a surrogate pair in a value becomes U+FFFD, as in the store.
 */
export class SampleColumns implements Iterable<SampleRow> {
  #length = 0
  #company: Uint32Array
  #machine: Uint32Array
  #atUs: Float64Array
  #named: Uint32Array
  #valueEnd: Uint32Array
  #values: Buffer
  #valueBytes = 0
  readonly #messages = new Map<number, string>()
  /** NaN: none; null: no sample has one. */
  #instanceId: Float64Array | null = null
  #sequence: Float64Array | null = null
  readonly #names: SampleNames[] = []
  /** Indexes of the first `maxNamesPerKey` names of a key; further names are in `#rare`. */
  readonly #byKey = new Map<string, number[]>()
  readonly #rare = new Map<string, number>()
  /** Indexes of names by object identity. */
  readonly #places = new Map<SampleNames, number>()

  /** Initial capacity; grows with further samples. */
  constructor(expected = usualRoom) {
    const room = Math.max(1, expected)
    this.#company = new Uint32Array(room)
    this.#machine = new Uint32Array(room)
    this.#atUs = new Float64Array(room)
    this.#named = new Uint32Array(room)
    this.#valueEnd = new Uint32Array(room)
    this.#values = Buffer.allocUnsafeSlow(room * expectedBytes)
  }

  static of(rows: Iterable<SampleRow>): SampleColumns {
    const columns = new SampleColumns()
    for (const row of rows) columns.push(row)
    return columns
  }

  get length(): number {
    return this.#length
  }

  /** By sample. */
  get company(): Uint32Array {
    return this.#company.subarray(0, this.#length)
  }

  get machine(): Uint32Array {
    return this.#machine.subarray(0, this.#length)
  }

  get atUs(): Float64Array {
    return this.#atUs.subarray(0, this.#length)
  }

  /** Places in `names`. */
  get named(): Uint32Array {
    return this.#named.subarray(0, this.#length)
  }

  get names(): readonly SampleNames[] {
    return this.#names
  }

  /** UTF-8 of all values, one after the other. */
  get values(): Buffer {
    return this.#values.subarray(0, this.#valueBytes)
  }

  /** Where each value ends in `values`. */
  get valueEnd(): Uint32Array {
    return this.#valueEnd.subarray(0, this.#length)
  }

  get messages(): ReadonlyMap<number, string> {
    return this.#messages
  }

  /** NaN where a sample has none; null: no sample has one. */
  get instanceId(): Float64Array | null {
    return this.#instanceId?.subarray(0, this.#length) ?? null
  }

  get sequence(): Float64Array | null {
    return this.#sequence?.subarray(0, this.#length) ?? null
  }

  /** Where names stand in `names`; new ones are added. */
  placeOf(names: SampleNames): number {
    let place = this.#places.get(names)
    if (place === undefined) this.#places.set(names, (place = this.#namesOf(names)))
    return place
  }

  /** Adds a sample with the index of its names and a UTF-8 value only. */
  pushPlain({ machine, atUs, bytes, start, end }: PlainRow, place: number): void {
    const index = this.#length
    if (index === this.#company.length) this.#grow(index + 1)
    this.#company[index] = machine.companyRef
    this.#machine[index] = machine.ref
    this.#atUs[index] = atUs
    this.#named[index] = place
    let at = this.#valueBytes
    if (at + end - start > this.#values.length) this.#growValues(at + end - start)
    const values = this.#values
    // A call out of JavaScript takes longer than a short text.
    for (let from = start; from < end; from++) values[at++] = bytes[from] ?? 0
    this.#valueBytes = at
    this.#valueEnd[index] = at
    this.#length++
  }

  append(other: SampleColumns): void {
    const first = this.#length
    const length = first + other.length
    if (length > this.#company.length) this.#grow(length)
    this.#company.set(other.company, first)
    this.#machine.set(other.machine, first)
    this.#atUs.set(other.atUs, first)
    const { named, valueEnd, values } = other
    const places = other.names.map(names => this.placeOf(names))
    if (this.#valueBytes + values.length > this.#values.length) this.#growValues(this.#valueBytes + values.length)
    for (let index = 0; index < named.length; index++) {
      this.#named[first + index] = places[named[index] ?? 0] ?? 0
      this.#valueEnd[first + index] = this.#valueBytes + (valueEnd[index] ?? 0)
    }
    this.#values.set(values, this.#valueBytes)
    this.#valueBytes += values.length
    for (const [index, message] of other.messages) this.#messages.set(first + index, message)
    if (other.instanceId) (this.#instanceId ??= this.#noNumbers()).set(other.instanceId, first)
    if (other.sequence) (this.#sequence ??= this.#noNumbers()).set(other.sequence, first)
    this.#length = length
  }

  /** Removes the samples from this index on; their names remain. */
  cutTo(length: number): void {
    for (let index = length; index < this.#length; index++) this.#messages.delete(index)
    this.#instanceId?.fill(Number.NaN, length)
    this.#sequence?.fill(Number.NaN, length)
    this.#valueBytes = length === 0 ? 0 : (this.#valueEnd[length - 1] ?? 0)
    this.#length = length
  }

  push({ companyRef, sample }: SampleRow): void {
    const index = this.#length
    if (index === this.#company.length) this.#grow(index + 1)
    this.#company[index] = companyRef
    this.#machine[index] = sample.machineRef
    this.#atUs[index] = sample.atUs
    this.#named[index] = this.#namesOf(sample)
    this.#pushValue(sample.value)
    this.#valueEnd[index] = this.#valueBytes
    if (sample.message !== '') this.#messages.set(index, sample.message)
    if (sample.instanceId !== null || this.#instanceId) {
      this.#instanceId ??= this.#noNumbers()
      this.#instanceId[index] = sample.instanceId ?? Number.NaN
    }
    if (sample.sequence !== null || this.#sequence) {
      this.#sequence ??= this.#noNumbers()
      this.#sequence[index] = sample.sequence ?? Number.NaN
    }
    this.#length++
  }

  at(index: number): SampleRow {
    const names = this.#names[this.#named[index] ?? -1]
    if (index >= this.#length || names === undefined) throw new RangeError(`There is no sample ${index}`)
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only refs are stored
      companyRef: this.#company[index] as CompanyRef,
      sample: {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
        machineRef: this.#machine[index] as MachineRef,
        atUs: this.#atUs[index] ?? 0,
        // One by one: V8 copies an object spread by a call outside of the compiled code.
        key: names.key,
        type: names.type,
        subtype: names.subtype,
        category: names.category,
        nativeCode: names.nativeCode,
        nativeSeverity: names.nativeSeverity,
        qualifier: names.qualifier,
        value: this.#values.toString('utf8', this.#valueEnd[index - 1] ?? 0, this.#valueEnd[index]),
        message: this.#messages.get(index) ?? '',
        instanceId: orNull(this.#instanceId?.[index]),
        sequence: orNull(this.#sequence?.[index]),
      },
    }
  }

  /** Copies the samples of a range of indexes. */
  slice(from: number, to: number): SampleColumns {
    const some = new SampleColumns(to - from)
    for (let index = from; index < to; index++) some.push(this.at(index))
    return some
  }

  *[Symbol.iterator](): Generator<SampleRow> {
    for (let index = 0; index < this.#length; index++) yield this.at(index)
  }

  #noNumbers(): Float64Array {
    return new Float64Array(this.#company.length).fill(Number.NaN)
  }

  #namesOf(sample: SampleNames): number {
    const known = this.#byKey.get(sample.key)
    if (known !== undefined)
      for (const index of known) {
        const names = this.#names[index]
        if (names && isNamedAs(names, sample)) return index
      }
    const { key, type, subtype, category, nativeCode, nativeSeverity, qualifier } = sample
    const names = { key, type, subtype, category, nativeCode, nativeSeverity, qualifier }
    if (known && known.length >= maxNamesPerKey) return this.#rareNamesOf(names)
    const index = this.#names.push(names) - 1
    if (known === undefined) this.#byKey.set(key, [index])
    else known.push(index)
    return index
  }

  /** Finds names of a key with many names by a hash, because a machine may send new codes without limit. */
  #rareNamesOf(names: SampleNames): number {
    const text = JSON.stringify(Object.values(names))
    let index = this.#rare.get(text)
    if (index === undefined) this.#rare.set(text, (index = this.#names.push(names) - 1))
    return index
  }

  #pushValue(value: string): void {
    const maxBytes = this.#valueBytes + value.length * 3
    if (maxBytes > this.#values.length) this.#growValues(maxBytes)
    const bytes = this.#values
    let at = this.#valueBytes
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7f) {
        this.#valueBytes += bytes.write(value, this.#valueBytes)
        return
      }
      bytes[at++] = code
    }
    this.#valueBytes = at
  }

  #growValues(least: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(least, this.#values.length * 2))
    this.#values.copy(grown, 0, 0, this.#valueBytes)
    this.#values = grown
  }

  #grow(least: number): void {
    const room = Math.max(least, this.#company.length * 2)
    this.#company = grown(this.#company, new Uint32Array(room))
    this.#machine = grown(this.#machine, new Uint32Array(room))
    this.#named = grown(this.#named, new Uint32Array(room))
    this.#valueEnd = grown(this.#valueEnd, new Uint32Array(room))
    this.#atUs = grown(this.#atUs, new Float64Array(room))
    if (this.#instanceId) this.#instanceId = grown(this.#instanceId, new Float64Array(room).fill(Number.NaN))
    if (this.#sequence) this.#sequence = grown(this.#sequence, new Float64Array(room).fill(Number.NaN))
  }
}

/** Whether samples of one key have the same names. */
export function isNamedAs(one: SampleNames, other: SampleNames): boolean {
  return (
    one.type === other.type &&
    one.subtype === other.subtype &&
    one.category === other.category &&
    one.nativeCode === other.nativeCode &&
    one.nativeSeverity === other.nativeSeverity &&
    one.qualifier === other.qualifier
  )
}

function grown<Values extends Uint32Array | Float64Array>(old: Values, larger: Values): Values {
  larger.set(old)
  return larger
}

function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value
}
