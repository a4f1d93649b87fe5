import {
  arrayColumn,
  float64Column,
  int32Column,
  int64Column,
  type NativeColumn,
  StringColumn,
  uint32Column,
  uint8Column,
} from '../client/native-block.ts'

/** Arrays of an element: a value of each item of a list. */
interface ArrayOf {
  readonly UInt8: Uint8Array
  readonly UInt32: Uint32Array
  readonly Int32: Int32Array
  readonly Int64: Float64Array
  readonly Float64: Float64Array
  readonly String: string[]
  readonly 'LowCardinality(String)': string[]
  readonly 'Array(UInt32)': NumberLists
}

/** Types of the elements of a list's items, by name. */
export type ListElements = Readonly<Record<string, keyof ArrayOf>>

/** The items of a list as one array for each of their elements. */
export type ListArrays<Elements extends ListElements> = { readonly [Name in keyof Elements]: ArrayOf[Elements[Name]] }

/** Lists of numbers, one after the other: each is set once, in order. */
export class NumberLists {
  /** Behind how many of all numbers each list ends. */
  readonly ends: Uint32Array
  readonly numbers: number[] = []

  constructor(count: number) {
    this.ends = new Uint32Array(count)
  }

  set(at: number, list: readonly number[]): void {
    for (const number of list) this.numbers.push(number)
    this.ends[at] = this.numbers.length
  }

  toArrays(): readonly (readonly number[])[] {
    return Array.from(this.ends, (end, at) => this.numbers.slice(this.ends[at - 1] ?? 0, end))
  }
}

type Arrays = ArrayOf[keyof ArrayOf]

const makeArray: { readonly [Type in keyof ArrayOf]: (count: number) => ArrayOf[Type] } = {
  UInt8: count => new Uint8Array(count),
  UInt32: count => new Uint32Array(count),
  Int32: count => new Int32Array(count),
  Int64: count => new Float64Array(count),
  Float64: count => new Float64Array(count),
  String: () => [],
  'LowCardinality(String)': () => [],
  'Array(UInt32)': count => new NumberLists(count),
}

const columnOf: { readonly [Type in keyof ArrayOf]: (name: string, values: ArrayOf[Type]) => NativeColumn } = {
  UInt8: uint8Column,
  UInt32: uint32Column,
  Int32: int32Column,
  Int64: int64Column,
  Float64: float64Column,
  String: textColumn,
  // The engine converts it to a dictionary.
  'LowCardinality(String)': textColumn,
  'Array(UInt32)': (name, { ends, numbers }) => arrayColumn(uint32Column(name, Uint32Array.from(numbers)), ends),
}

/** Arrays for this number of items, to be filled. */
export function listArrays<const Elements extends ListElements>(
  elements: Elements,
  count: number,
): ListArrays<Elements> {
  const arrays = Object.entries(elements).map(([name, type]) => [name, makeArray[type](count)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each has the array of its type
  return Object.fromEntries(arrays) as ListArrays<Elements>
}

/** Columns `<group>_<element>` of the lists of several rows: behind how many of all items each row's end. */
export function columnsOfArrays<Elements extends ListElements>(
  group: string,
  elements: Elements,
  arrays: ListArrays<Elements>,
  ends: Uint32Array,
): readonly NativeColumn[] {
  return Object.entries(elements).map(([name, type]) => {
    const column: (name: string, values: never) => NativeColumn = columnOf[type]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `listArrays` made it
    return arrayColumn(column(`${group}_${name}`, arrays[name] as never), ends)
  })
}

/** The arrays as JSON, each after a comma. */
export function arraysText<Elements extends ListElements>(arrays: ListArrays<Elements>): string {
  return Object.values<Arrays>(arrays).reduce((text, values) => `${text},${JSON.stringify(plain(values))}`, '')
}

function plain(values: Arrays): readonly unknown[] {
  if (values instanceof NumberLists) return values.toArrays()
  return Array.isArray(values) ? values : Array.from(values)
}

function textColumn(name: string, texts: readonly string[]): NativeColumn {
  const column = new StringColumn(texts.length * 16)
  for (const text of texts) column.push(text)
  return column.column(name)
}
