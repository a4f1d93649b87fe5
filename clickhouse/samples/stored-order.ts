import { sortInSteps } from '../../shared/async/sort-in-steps.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import type { Steps } from '../../shared/async/steps.ts'
import type { SampleColumns, SampleNames } from './sample-columns.ts'

/** Yields to the event loop after this number of rows. */
const stepRows = 5_000

/** Indexes of rows. */
export interface StoredOrder {
  /** All rows by company, machine, key and time, a prefix of the order of `samples`: the engine sorts only the rest. */
  readonly order: Uint32Array
  /** The newest row of each metric of a machine, in the order of `latest_values`; the later row of two with equal times. */
  readonly newest: Uint32Array
}

/** Rows of one key of one machine. */
interface Cell {
  readonly company: number
  readonly machine: number
  /** Rank of the key among all keys. */
  readonly key: number
  count: number
  end: number
}

/** Sorts rows in the order of the tables of samples; rows that are in order cost almost nothing. */
export function* inStoredOrder(rows: SampleColumns): Steps<StoredOrder> {
  const { cells, cellOf } = yield* findCells(rows, yield* rankKeys(rows.names))
  let end = 0
  const sorted = yield* sortInSteps(cells, byPlace)
  for (const cell of sorted) {
    cell.end = end
    end += cell.count
  }
  const order = new Uint32Array(rows.length)
  for (let index = 0; index < rows.length; index++) {
    const cell = cells[cellOf[index] ?? 0]
    if (cell) order[cell.end++] = index
    if (index % stepRows === 0) yield
  }
  const { atUs, named, names } = rows
  const newest: number[] = []
  let done = 0
  for (const { count, end } of sorted) {
    const own = order.subarray(end - count, end)
    sortByTime(own, atUs)
    pushNewest(own, named, names, newest)
    done += count
    if (done < stepRows) continue
    done = 0
    yield
  }
  return { order, newest: Uint32Array.from(newest) }
}

/** The rank of the key of each of the names. */
function* rankKeys(names: readonly SampleNames[]): Steps<Uint32Array> {
  const keys = [...new Set(names.map(({ key }) => key))].map(key => ({ key }))
  const sorted = yield* sortInSteps(keys, (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const rank = new Map(sorted.map(({ key }, place) => [key, place]))
  return Uint32Array.from(names, ({ key }) => rank.get(key) ?? 0)
}

function* findCells(
  { length, company, machine, named }: SampleColumns,
  rank: Uint32Array,
): Steps<{ cells: readonly Cell[]; cellOf: Uint32Array }> {
  const companies = new Map<number, Map<number, Map<number, number>>>()
  const cells: Cell[] = []
  const cellOf = new Uint32Array(length)
  let lastCompany = -1
  let lastMachine = -1
  let keys = new Map<number, number>()
  for (let index = 0; index < length; index++) {
    const ofCompany = company[index] ?? 0
    const ofMachine = machine[index] ?? 0
    // Most consecutive rows are of one machine.
    if (ofMachine !== lastMachine || ofCompany !== lastCompany) {
      const machines = getOrCreate(companies, ofCompany, () => new Map<number, Map<number, number>>())
      keys = getOrCreate(machines, ofMachine, () => new Map<number, number>())
      lastMachine = ofMachine
      lastCompany = ofCompany
    }
    const key = rank[named[index] ?? 0] ?? 0
    let cell = keys.get(key)
    if (cell === undefined) {
      cell = cells.push({ company: ofCompany, machine: ofMachine, key, count: 0, end: 0 }) - 1
      keys.set(key, cell)
    }
    const found = cells[cell]
    if (found) found.count++
    cellOf[index] = cell
    if (index % stepRows === 0) yield
  }
  return { cells, cellOf }
}

function byPlace(a: Cell, b: Cell): number {
  return a.company - b.company || a.machine - b.machine || a.key - b.key
}

function sortByTime(own: Uint32Array, atUs: Float64Array): void {
  const timeOf = (index: number) => atUs[index] ?? 0
  let last = -Infinity
  for (const index of own) {
    const us = timeOf(index)
    if (us < last) {
      own.sort((a, b) => timeOf(a) - timeOf(b) || a - b)
      return
    }
    last = us
  }
}

/** Rows of one key, by time: nearly always they have the same names. */
function pushNewest(own: Uint32Array, named: Uint32Array, names: readonly SampleNames[], newest: number[]): void {
  const last = own[own.length - 1]
  if (last === undefined) return
  if (own.every(index => named[index] === named[last])) {
    newest.push(last)
    return
  }
  const byNames = new Map<string, number>()
  for (const index of own) {
    const its = names[named[index] ?? 0]
    byNames.set(JSON.stringify([its?.type, its?.subtype]), index)
  }
  newest.push(...byNames.values())
}
