import type { Sample } from '../../schema/sample.ts'
import { sortInSteps } from '../../shared/async/sort-in-steps.ts'
import type { Steps } from '../../shared/async/steps.ts'
import type { SampleRow } from './sample-rows.ts'

/** Others get their turn after so many rows. */
const stepRows = 5_000

/** Places of rows. */
export interface StoredOrder {
  /** Each row, by company, machine, key and time: so far the order of `samples`. The engine sorts only what is not in its order. */
  readonly order: Uint32Array
  /** The newest row of each metric of a machine, in the order of `latest_values`; of two of one instant the one that came last. */
  readonly newest: Uint32Array
}

/** Rows of one key of one machine. */
interface Cell {
  readonly company: number
  readonly machine: number
  readonly key: string
  count: number
  end: number
}

/** Sorts rows as the tables of samples have them: a row that comes in order costs next to nothing. */
export function* inStoredOrder(rows: readonly SampleRow[]): Steps<StoredOrder> {
  const { cells, cellOf } = yield* findCells(rows)
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
  const newest: number[] = []
  let done = 0
  for (const { count, end } of sorted) {
    const own = order.subarray(end - count, end)
    sortByTime(own, rows)
    pushNewest(own, rows, newest)
    done += count
    if (done < stepRows) continue
    done = 0
    yield
  }
  return { order, newest: Uint32Array.from(newest) }
}

function* findCells(rows: readonly SampleRow[]): Steps<{ cells: readonly Cell[]; cellOf: Uint32Array }> {
  const companies = new Map<number, Map<number, Map<string, number>>>()
  const cells: Cell[] = []
  const cellOf = new Uint32Array(rows.length)
  let lastCompany = -1
  let lastMachine = -1
  let keys = new Map<string, number>()
  for (const [index, { companyRef, sample }] of rows.entries()) {
    const { machineRef, key } = sample
    // Most rows come in runs of one machine.
    if (machineRef !== lastMachine || companyRef !== lastCompany) {
      const machines = getOrAdd(companies, companyRef, () => new Map<number, Map<string, number>>())
      keys = getOrAdd(machines, machineRef, () => new Map<string, number>())
      lastMachine = machineRef
      lastCompany = companyRef
    }
    let cell = keys.get(key)
    if (cell === undefined) {
      cell = cells.push({ company: companyRef, machine: machineRef, key, count: 0, end: 0 }) - 1
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
  return a.company - b.company || a.machine - b.machine || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
}

function sortByTime(own: Uint32Array, rows: readonly SampleRow[]): void {
  const timeOf = (index: number) => rows[index]?.sample.atUs ?? 0
  let last = -Infinity
  for (const index of own) {
    const atUs = timeOf(index)
    if (atUs < last) {
      own.sort((a, b) => timeOf(a) - timeOf(b) || a - b)
      return
    }
    last = atUs
  }
}

/** Rows of one key, by time: nearly always they have one type and one subtype. */
function pushNewest(own: Uint32Array, rows: readonly SampleRow[], newest: number[]): void {
  const last = rows[own[own.length - 1] ?? -1]?.sample
  if (last === undefined) return
  if (own.every(index => isSameMetric(rows[index]?.sample, last))) {
    newest.push(own[own.length - 1] ?? 0)
    return
  }
  const byNames = new Map<string, number>()
  for (const index of own) {
    const sample = rows[index]?.sample
    if (sample) byNames.set(JSON.stringify([sample.type, sample.subtype]), index)
  }
  newest.push(...byNames.values())
}

function isSameMetric(one: Sample | undefined, other: Sample): boolean {
  return one?.type === other.type && one.subtype === other.subtype
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
