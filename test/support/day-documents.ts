import { expect } from 'chai'
import { readDayCoverage, type DayBounds } from '../../clickhouse/documents/day-coverage.ts'
import { array, int64, sql, uint32 } from '../../clickhouse/sql/sql.ts'
import type { QueryOptions, Store } from '../../clickhouse/client/store.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** Content of a machine's day: entries as strings, sorted. */
export interface DayContent {
  readonly facts: readonly string[]
  readonly reasons: readonly string[]
  /** Records that reach beyond the day, a shift or a run. */
  readonly others: readonly string[]
  readonly setups: readonly string[]
}

/** A row of `hours` or `days`. */
type Row = Readonly<Record<string, unknown>>

const numbers: QueryOptions = { settings: { output_format_json_quote_64bit_integers: 0 } }
const dimensions = ['shift', 'run', 'operators', 'mode', 'scheduled', 'non_optional'] as const
const sums = ['duration_ms', 'in_cycle_ms', 'spindle_ms', 'cut_ms', 'parts', 'adjusted', 'scrap', 'nonconform'] as const

/** Every stored hour of a company, with the columns from which days are computed. */
export async function storedHours(store: Store, companyRef: CompanyRef): Promise<readonly Row[]> {
  return store.query<Row>(
    sql`SELECT COLUMNS('^(machine$|facts_|downtime_|setup_)'), toInt64(toUnixTimestamp(slot)) * 1000 AS slot_ms
      FROM hours FINAL WHERE company = ${uint32(companyRef)}`,
    numbers,
  )
}

/** The day documents of this range by machine. */
export async function storedDays(
  store: Store,
  companyRef: CompanyRef,
  day: DayBounds,
): Promise<ReadonlyMap<number, DayContent>> {
  return contentsOf(await dayRows(store, companyRef, [day]), day)
}

/** Rows of days with these starts, by one statement: one per day would take most of the time of a test. */
function dayRows(store: Store, companyRef: CompanyRef, days: readonly DayBounds[]): Promise<readonly Row[]> {
  const starts = days.map(({ startMs }) => startMs)
  return store.query<Row>(
    sql`SELECT * FROM days FINAL WHERE company = ${uint32(companyRef)} AND start_ms IN ${array(int64, starts)}`,
    numbers,
  )
}

function contentsOf(rows: readonly Row[], { startMs, endMs }: DayBounds): ReadonlyMap<number, DayContent> {
  const ofDay = rows.filter(row => row['start_ms'] === startMs && row['end_ms'] === endMs)
  return new Map(
    ofDay.map(row => [
      Number(row['machine']),
      {
        facts: texts(items(row, 'facts', [...dimensions, 'first', 'last', ...sums])),
        reasons: texts(
          items(row, 'downtime', [
            ...dimensions,
            'reason',
            'duration_ms',
            'records',
            'carried',
            'within',
            'lengths_ms',
          ]),
        ),
        others: texts(items(row, 'spanning', ['record_start_ms', 'shift', 'run', 'reason', 'end'])),
        setups: texts(items(row, 'setup', [...dimensions, 'at'])),
      },
    ]),
  )
}

/** Adds up stored hours to the content that a day document must have; machines without an hour are missing. */
export function addedUp(hours: readonly Row[], { startMs, endMs }: DayBounds): ReadonlyMap<number, DayContent> {
  const ofDay = hours.filter(hour => slotOf(hour) < endMs && slotOf(hour) + 3_600_000 > startMs)
  const machines = new Set(ofDay.map(hour => Number(hour['machine'])))
  return new Map(
    [...machines].map(machineRef => [machineRef, contentOf(ofDay.filter(hour => hour['machine'] === machineRef))]),
  )

  function contentOf(hours: readonly Row[]): DayContent {
    const ordered = hours.toSorted((a, b) => slotOf(a) - slotOf(b))
    const inDay = (prefix: string, at: string, names: readonly string[]) =>
      ordered.flatMap(hour =>
        items(hour, prefix, [...names, at])
          .map(item => ({ item, baseMs: slotOf(hour) - startMs }))
          .filter(({ item, baseMs }) => baseMs + int(item, at) >= 0 && baseMs + int(item, at) < endMs - startMs),
      )
    const facts = new Map<string, Item>()
    for (const { item, baseMs } of inDay('facts', 'cell', [...dimensions, 'first', 'last', ...sums])) {
      const key = JSON.stringify(dimensions.map(name => item[name]))
      const known = facts.get(key)
      const moved = { first: int(item, 'first') + baseMs, last: int(item, 'last') + baseMs }
      const added = sums.map(name => [name, int(item, name) + (known ? int(known, name) : 0)])
      facts.set(key, {
        ...pick(item, dimensions),
        first: Math.min(moved.first, known ? int(known, 'first') : Infinity),
        last: Math.max(moved.last, known ? int(known, 'last') : -Infinity),
        ...Object.fromEntries(added),
      })
    }
    const reasons = new Map<string, Item & { readonly lengths_ms: readonly number[] }>()
    const elements = inDay('downtime', 'cell', [...dimensions, 'start', 'end', 'reason', 'record_start_ms'])
    const records = groupBy(elements, ({ item }) => int(item, 'record_start_ms'))
    const others = new Map<string, Item>()
    for (const { item, baseMs } of elements) {
      const key = JSON.stringify([...dimensions, 'reason'].map(name => item[name]))
      const known = reasons.get(key) ?? { duration_ms: 0, records: 0, carried: 0, within: 0, lengths_ms: [] }
      const ofRecord = records.get(int(item, 'record_start_ms')) ?? []
      const startOf = (element: (typeof elements)[number]) => startMs + element.baseMs + int(element.item, 'start')
      const endOf = (element: (typeof elements)[number]) => startMs + element.baseMs + int(element.item, 'end')
      const lastMs = Math.max(...ofRecord.map(endOf))
      const isWithin =
        int(item, 'record_start_ms') >= startMs &&
        lastMs < endMs &&
        ofRecord.every(other => other.item['shift'] === item['shift'] && other.item['run'] === item['run'])
      const isFirst = ofRecord.every(other => startOf(other) >= startMs + baseMs + int(item, 'start'))
      const counted = isWithin && isFirst ? [Math.min(lastMs - int(item, 'record_start_ms'), 3_600_000)] : []
      if (!isWithin) {
        const other = { ...pick(item, ['record_start_ms', 'shift', 'run', 'reason']), end: lastMs - startMs }
        others.set(text(other), other)
      }
      const beganMs = startMs + baseMs + int(item, 'start')
      const isCarried = int(item, 'record_start_ms') < startMs && beganMs === startMs
      reasons.set(key, {
        ...pick(item, dimensions),
        reason: item['reason'],
        duration_ms: int(item, 'end') - int(item, 'start') + int(known, 'duration_ms'),
        records: int(known, 'records') + Number(int(item, 'record_start_ms') === beganMs),
        carried: int(known, 'carried') + Number(isCarried),
        within: int(known, 'within') + counted.length,
        lengths_ms: [...known.lengths_ms, ...counted].sort((a, b) => a - b),
      })
    }
    const setups = inDay('setup', 'at', dimensions).map(({ item, baseMs }) =>
      Object.assign(pick(item, dimensions), { at: int(item, 'at') + baseMs }),
    )
    return {
      facts: texts([...facts.values()]),
      reasons: texts([...reasons.values()]),
      others: texts([...others.values()]),
      setups: texts(setups),
    }
  }
}

/** Days of a company that a report would read. */
export interface Seen {
  readonly covered: readonly DayBounds[]
  readonly stale: readonly { readonly machineRef: MachineRef; readonly startMs: number }[]
}

/** Asserts that each day document that a report would read equals its hours; returns those documents. */
export async function expectTrueDays(store: Store, companyRef: CompanyRef, asked: readonly DayBounds[]): Promise<Seen> {
  const seen = await readDayCoverage(store, companyRef, asked)
  if (seen.covered.length === 0) return seen
  const hours = await storedHours(store, companyRef)
  const rows = await dayRows(store, companyRef, seen.covered)
  for (const day of seen.covered) {
    const stored = contentsOf(rows, day)
    for (const [machineRef, content] of addedUp(hours, day)) {
      if (seen.stale.some(mark => mark.machineRef === machineRef && mark.startMs === day.startMs)) continue
      expect(stored.get(machineRef), `machine ${machineRef} on ${new Date(day.startMs).toISOString()}`).to.deep.equal(
        content,
      )
    }
  }
  return seen
}

type Item = Record<string, unknown>

function items(row: Row, prefix: string, names: readonly string[]): Item[] {
  const columns = names.map(name => list(row[`${prefix}_${name}`]))
  const found: Item[] = (columns[0] ?? []).map(() => ({}))
  for (const [column, name] of names.entries())
    for (const [i, item] of found.entries()) item[name] = columns[column]?.[i]
  return found
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('A row has an array for each column of a prefix')
  return value
}

function pick(item: Item, names: readonly string[]): Item {
  const picked: Item = {}
  for (const name of names) picked[name] = item[name]
  return picked
}

function int(item: Item, name: string): number {
  return Number(item[name])
}

function slotOf(hour: Row): number {
  return Number(hour['slot_ms'])
}

function text(item: Item): string {
  return Object.keys(item)
    .sort()
    .map(name => `${name} ${JSON.stringify(item[name])}`)
    .join(', ')
}

function texts(entries: readonly Item[]): readonly string[] {
  return entries.map(text).sort()
}
