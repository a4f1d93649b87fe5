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

/** Others get their turn after so many values. */
const stepValues = 5_000

/** Samples as the tables `samples` and `latest_values` take them. */
export interface SampleBlock {
  readonly samples: NativeRows
  /** The newest of the samples of each metric. */
  readonly latest: NativeRows
}

/** Makes columns of samples, in the order of their tables. */
export function* sampleBlock(rows: readonly SampleRow[]): Steps<SampleBlock> {
  const { order, newest } = yield* inStoredOrder(rows)
  const samples = nativeRows(order.length, [
    ...(yield* commonColumns(rows, order)),
    ...(yield* nameColumn('native_code', rows, order, row => row.sample.nativeCode)),
    ...(yield* nameColumn('native_severity', rows, order, row => row.sample.nativeSeverity)),
    ...(yield* nameColumn('qualifier', rows, order, row => row.sample.qualifier)),
    ...(yield* textColumn('message', rows, order, row => row.sample.message)),
    ...(yield* numberColumn('instance_id', rows, order, row => row.sample.instanceId)),
    ...(yield* numberColumn('sequence', rows, order, row => row.sample.sequence)),
  ])
  return { samples, latest: nativeRows(newest.length, yield* commonColumns(rows, newest)) }
}

/** Columns that both tables have. */
function* commonColumns(rows: readonly SampleRow[], order: Uint32Array): Steps<readonly NativeColumn[]> {
  const company = new Uint32Array(order.length)
  const machine = new Uint32Array(order.length)
  const atUs = new Float64Array(order.length)
  for (const [place, index] of order.entries()) {
    const row = rowAt(rows, index)
    company[place] = row.companyRef
    machine[place] = row.sample.machineRef
    atUs[place] = row.sample.atUs
    if (place % stepValues === 0) yield
  }
  return [
    uint32Column('company', company),
    uint32Column('machine', machine),
    int64Column('at_us', atUs),
    ...(yield* nameColumn('key', rows, order, row => row.sample.key)),
    ...(yield* nameColumn('type', rows, order, row => row.sample.type)),
    ...(yield* nameColumn('subtype', rows, order, row => row.sample.subtype)),
    ...(yield* nameColumn('category', rows, order, row => row.sample.category)),
    ...(yield* textColumn('value', rows, order, row => row.sample.value)),
  ]
}

/** None where all texts are empty: that is the column's default. */
function* nameColumn(
  name: string,
  rows: readonly SampleRow[],
  order: Uint32Array,
  read: (row: SampleRow) => string,
): Steps<readonly NativeColumn[]> {
  const keys = new Map<string, number>()
  const places = new Uint32Array(order.length)
  let last = ''
  let lastPlace = -1
  for (const [place, index] of order.entries()) {
    const text = read(rowAt(rows, index))
    // Rows of one key lie side by side.
    if (lastPlace < 0 || text !== last) {
      const known = keys.get(text)
      if (known === undefined) keys.set(text, keys.size)
      last = text
      lastPlace = known ?? keys.size - 1
    }
    places[place] = lastPlace
    if (place % stepValues === 0) yield
  }
  if (keys.size === 1 && keys.has('')) return []
  return [lowCardinalityColumn(name, [...keys.keys()], places)]
}

/** None where all texts are empty: that is the column's default. */
function* textColumn(
  name: string,
  rows: readonly SampleRow[],
  order: Uint32Array,
  read: (row: SampleRow) => string,
): Steps<readonly NativeColumn[]> {
  const texts = new StringColumn(order.length * expectedBytes)
  let isEmpty = true
  for (const [place, index] of order.entries()) {
    const text = read(rowAt(rows, index))
    isEmpty &&= text === ''
    texts.push(text)
    if (place % stepValues === 0) yield
  }
  return isEmpty ? [] : [texts.column(name)]
}

const expectedBytes = 12

/** None where no sample has a number: that is the column's default. */
function* numberColumn(
  name: string,
  rows: readonly SampleRow[],
  order: Uint32Array,
  read: (row: SampleRow) => number | null,
): Steps<readonly NativeColumn[]> {
  const values = new Float64Array(order.length)
  const isNull = new Uint8Array(order.length)
  let nulls = 0
  for (const [place, index] of order.entries()) {
    const value = read(rowAt(rows, index))
    values[place] = value ?? 0
    isNull[place] = value === null ? 1 : 0
    nulls += value === null ? 1 : 0
    if (place % stepValues === 0) yield
  }
  return nulls === order.length ? [] : [nullableInt64Column(name, values, isNull)]
}

function rowAt(rows: readonly SampleRow[], index: number): SampleRow {
  const row = rows[index]
  if (row === undefined) throw new RangeError(`There is no row ${index}`)
  return row
}
