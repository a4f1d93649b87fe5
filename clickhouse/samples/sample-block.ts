import type { Sample } from '../../schema/sample.ts'
import type { Steps } from '../../shared/async/steps.ts'
import {
  int64Column,
  lowCardinalityColumn,
  type NativeColumn,
  nativeRows,
  type NativeRows,
  nullableInt64Column,
  StringColumn,
  uint32Column,
} from '../client/native-block.ts'
import type { SampleRow } from './sample-rows.ts'
import { inStoredOrder } from './stored-order.ts'

/** Others get their turn after so many rows. */
const stepRows = 1_000

/** Samples as the tables `samples` and `latest_values` take them. */
export interface SampleBlock {
  readonly samples: NativeRows
  /** The newest of the samples of each metric. */
  readonly latest: NativeRows
}

/** Makes columns of samples, in the order of their tables. */
export function* sampleBlock(rows: readonly SampleRow[]): Steps<SampleBlock> {
  const { order, newest } = yield* inStoredOrder(rows)
  const common = new CommonColumns(order.length)
  const rest = new OtherColumns(order.length)
  for (let place = 0; place < order.length; place++) {
    const row = rowAt(rows, order[place])
    common.put(place, row)
    rest.put(place, row.sample)
    if (place % stepRows === 0) yield
  }
  yield
  const samples = nativeRows(order.length, [...common.columns(), ...rest.columns()])
  yield
  const latest = new CommonColumns(newest.length)
  for (let place = 0; place < newest.length; place++) {
    latest.put(place, rowAt(rows, newest[place]))
    if (place % stepRows === 0) yield
  }
  return { samples, latest: nativeRows(newest.length, latest.columns()) }
}

/** Columns that both tables have. Rows lie anywhere in memory: each is looked at once for all columns. */
class CommonColumns {
  readonly #company: Uint32Array
  readonly #machine: Uint32Array
  readonly #atUs: Float64Array
  readonly #key: NameColumn
  readonly #type: NameColumn
  readonly #subtype: NameColumn
  readonly #category: NameColumn
  readonly #value: TextColumn

  constructor(rows: number) {
    this.#company = new Uint32Array(rows)
    this.#machine = new Uint32Array(rows)
    this.#atUs = new Float64Array(rows)
    this.#key = new NameColumn('key', rows)
    this.#type = new NameColumn('type', rows)
    this.#subtype = new NameColumn('subtype', rows)
    this.#category = new NameColumn('category', rows)
    this.#value = new TextColumn('value', rows)
  }

  put(place: number, { companyRef, sample }: SampleRow): void {
    this.#company[place] = companyRef
    this.#machine[place] = sample.machineRef
    this.#atUs[place] = sample.atUs
    this.#key.put(place, sample.key)
    this.#type.put(place, sample.type)
    this.#subtype.put(place, sample.subtype)
    this.#category.put(place, sample.category)
    this.#value.push(sample.value)
  }

  columns(): readonly NativeColumn[] {
    return [
      uint32Column('company', this.#company),
      uint32Column('machine', this.#machine),
      int64Column('at_us', this.#atUs),
      ...this.#key.columns(),
      ...this.#type.columns(),
      ...this.#subtype.columns(),
      ...this.#category.columns(),
      ...this.#value.columns(),
    ]
  }
}

/** Columns of `samples` alone. */
class OtherColumns {
  readonly #nativeCode: NameColumn
  readonly #nativeSeverity: NameColumn
  readonly #qualifier: NameColumn
  readonly #message: TextColumn
  readonly #instanceId: NumberColumn
  readonly #sequence: NumberColumn

  constructor(rows: number) {
    this.#nativeCode = new NameColumn('native_code', rows)
    this.#nativeSeverity = new NameColumn('native_severity', rows)
    this.#qualifier = new NameColumn('qualifier', rows)
    this.#message = new TextColumn('message', rows)
    this.#instanceId = new NumberColumn('instance_id', rows)
    this.#sequence = new NumberColumn('sequence', rows)
  }

  put(place: number, sample: Sample): void {
    this.#nativeCode.put(place, sample.nativeCode)
    this.#nativeSeverity.put(place, sample.nativeSeverity)
    this.#qualifier.put(place, sample.qualifier)
    this.#message.push(sample.message)
    this.#instanceId.put(place, sample.instanceId)
    this.#sequence.put(place, sample.sequence)
  }

  columns(): readonly NativeColumn[] {
    return [
      ...this.#nativeCode.columns(),
      ...this.#nativeSeverity.columns(),
      ...this.#qualifier.columns(),
      ...this.#message.columns(),
      ...this.#instanceId.columns(),
      ...this.#sequence.columns(),
    ]
  }
}

/** Names, as a dictionary. None where all are empty: that is the column's default. */
class NameColumn {
  readonly #name: string
  readonly #keys = new Map<string, number>()
  readonly #places: Uint32Array
  #last: string | null = null
  #lastPlace = 0

  constructor(name: string, rows: number) {
    this.#name = name
    this.#places = new Uint32Array(rows)
  }

  put(place: number, text: string): void {
    // Rows of one key lie side by side.
    if (text !== this.#last) {
      const known = this.#keys.get(text)
      if (known === undefined) this.#keys.set(text, this.#keys.size)
      this.#last = text
      this.#lastPlace = known ?? this.#keys.size - 1
    }
    this.#places[place] = this.#lastPlace
  }

  columns(): readonly NativeColumn[] {
    if (this.#keys.size === 1 && this.#keys.has('')) return []
    return [lowCardinalityColumn(this.#name, [...this.#keys.keys()], this.#places)]
  }
}

/** Texts, row by row. None where all are empty: that is the column's default. */
class TextColumn {
  readonly #name: string
  readonly #rows: number
  #rowsPut = 0
  /** null: all texts so far are empty. */
  #texts: StringColumn | null = null

  constructor(name: string, rows: number) {
    this.#name = name
    this.#rows = rows
  }

  push(text: string): void {
    if (text !== '' || this.#texts !== null) this.#begun().push(text)
    this.#rowsPut++
  }

  columns(): readonly NativeColumn[] {
    return this.#texts === null ? [] : [this.#texts.column(this.#name)]
  }

  #begun(): StringColumn {
    if (this.#texts !== null) return this.#texts
    const texts = new StringColumn(this.#rows * expectedBytes)
    for (let i = 0; i < this.#rowsPut; i++) texts.push('')
    return (this.#texts = texts)
  }
}

const expectedBytes = 12

/** Numbers that may be missing. None where no sample has one: that is the column's default. */
class NumberColumn {
  readonly #name: string
  readonly #values: Float64Array
  readonly #isNull: Uint8Array
  #hasNumbers = false

  constructor(name: string, rows: number) {
    this.#name = name
    this.#values = new Float64Array(rows)
    this.#isNull = new Uint8Array(rows)
  }

  put(place: number, value: number | null): void {
    if (value === null) this.#isNull[place] = 1
    else {
      this.#values[place] = value
      this.#hasNumbers = true
    }
  }

  columns(): readonly NativeColumn[] {
    return this.#hasNumbers ? [nullableInt64Column(this.#name, this.#values, this.#isNull)] : []
  }
}

function rowAt(rows: readonly SampleRow[], index: number | undefined): SampleRow {
  const row = rows[index ?? -1]
  if (row === undefined) throw new RangeError(`There is no row ${index}`)
  return row
}
