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
import type { SampleColumns, SampleNames } from './sample-columns.ts'
import { inStoredOrder } from './stored-order.ts'

/** Yields to the event loop after this number of values. */
const stepValues = 5_000

/** Rows of the tables `samples` and `latest_values`. */
export interface SampleBlock {
  readonly samples: NativeRows
  /** The newest of the samples of each metric. */
  readonly latest: NativeRows
}

/** Makes columns of samples, in the order of their tables. */
export function* sampleBlock(rows: SampleColumns): Steps<SampleBlock> {
  const { order, newest } = yield* inStoredOrder(rows)
  const samples = nativeRows(order.length, [
    ...(yield* commonColumns(rows, order)),
    ...(yield* nameColumn('native_code', rows, order, names => names.nativeCode)),
    ...(yield* nameColumn('native_severity', rows, order, names => names.nativeSeverity)),
    ...(yield* nameColumn('qualifier', rows, order, names => names.qualifier)),
    ...(yield* messageColumn(rows, order)),
    ...(yield* numberColumn('instance_id', rows.instanceId, order)),
    ...(yield* numberColumn('sequence', rows.sequence, order)),
  ])
  yield
  return { samples, latest: nativeRows(newest.length, yield* commonColumns(rows, newest)) }
}

/** Columns that both tables have. */
function* commonColumns(rows: SampleColumns, order: Uint32Array): Steps<readonly NativeColumn[]> {
  const atUs = new Float64Array(order.length)
  const { atUs: unsorted } = rows
  for (let place = 0; place < order.length; place++) {
    atUs[place] = unsorted[order[place] ?? 0] ?? 0
    if (place % stepValues === 0) yield
  }
  return [
    uint32Column('company', yield* ordered(rows.company, order)),
    uint32Column('machine', yield* ordered(rows.machine, order)),
    int64Column('at_us', atUs),
    ...(yield* nameColumn('key', rows, order, names => names.key)),
    ...(yield* nameColumn('type', rows, order, names => names.type)),
    ...(yield* nameColumn('subtype', rows, order, names => names.subtype)),
    ...(yield* nameColumn('category', rows, order, names => names.category)),
    ...(yield* valueColumn(rows, order)),
  ]
}

function* ordered(values: Uint32Array, order: Uint32Array): Steps<Uint32Array> {
  const sorted = new Uint32Array(order.length)
  for (let place = 0; place < order.length; place++) {
    sorted[place] = values[order[place] ?? 0] ?? 0
    if (place % stepValues === 0) yield
  }
  return sorted
}

/** Omitted if all strings are empty: the default of the column. */
function* nameColumn(
  name: string,
  { names, named }: SampleColumns,
  order: Uint32Array,
  read: (names: SampleNames) => string,
): Steps<readonly NativeColumn[]> {
  const keys = new Map<string, number>()
  const placeOf = Uint32Array.from(names, each => {
    const text = read(each)
    const known = keys.get(text)
    if (known === undefined) keys.set(text, keys.size)
    return known ?? keys.size - 1
  })
  if (keys.size === 1 && keys.has('')) return []
  const places = new Uint32Array(order.length)
  for (let place = 0; place < order.length; place++) {
    places[place] = placeOf[named[order[place] ?? 0] ?? 0] ?? 0
    if (place % stepValues === 0) yield
  }
  return [lowCardinalityColumn(name, [...keys.keys()], places)]
}

/** Omitted if all strings are empty: the default of the column. */
function* valueColumn({ values, valueEnd }: SampleColumns, order: Uint32Array): Steps<readonly NativeColumn[]> {
  if (values.length === 0) return []
  const texts = new StringColumn(order.length * 2 + values.length)
  for (let place = 0; place < order.length; place++) {
    const index = order[place] ?? 0
    texts.pushBytes(values, index === 0 ? 0 : (valueEnd[index - 1] ?? 0), valueEnd[index] ?? 0)
    if (place % stepValues === 0) yield
  }
  return [texts.column('value')]
}

/** Omitted if all messages are empty: the default of the column. */
function* messageColumn({ messages }: SampleColumns, order: Uint32Array): Steps<readonly NativeColumn[]> {
  if (messages.size === 0) return []
  const texts = new StringColumn(order.length * 2)
  for (let place = 0; place < order.length; place++) {
    texts.push(messages.get(order[place] ?? 0) ?? '')
    if (place % stepValues === 0) yield
  }
  return [texts.column('message')]
}

/** Omitted if no sample has a number: the default of the column. */
function* numberColumn(
  name: string,
  unsorted: Float64Array | null,
  order: Uint32Array,
): Steps<readonly NativeColumn[]> {
  if (unsorted === null) return []
  const values = new Float64Array(order.length)
  const isNull = new Uint8Array(order.length)
  for (let place = 0; place < order.length; place++) {
    const value = unsorted[order[place] ?? 0] ?? Number.NaN
    values[place] = Number.isNaN(value) ? 0 : value
    isNull[place] = Number.isNaN(value) ? 1 : 0
    if (place % stepValues === 0) yield
  }
  return [nullableInt64Column(name, values, isNull)]
}
