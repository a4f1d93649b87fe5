import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { CsvLink } from '../../files/export-report.ts'
import { JsonHash } from '../../json/json-hash.ts'
import { JsonList } from '../../json/json-list.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { type Group, root } from '../fold/group-tree.ts'
import { deepest, type PresentedValue, type Presenter } from './presenter.ts'
import { writeEntities, writeItems, writeRows } from './write-groups.ts'

/** A report as the API returns it. */
export interface ReportBody<Value extends PresentedValue = number | null> {
  readonly range: { readonly start: string; readonly end: string }
  /** Location of the exported file, if the request asked for a file. */
  readonly csv?: CsvLink
  readonly aggregate: Aggregate<Value>
  /** By grouping, then by id: of everything that the items name. */
  readonly entities: JsonHash<Entities>
  readonly items: JsonList<Item<Value> | FlatRow>
}

export type Entities = Readonly<Record<string, Readonly<Record<string, object>>>>

export type Aggregate<Value = number | null> = Readonly<Record<string, Value>>

export interface Item<Value = number | null> {
  readonly entity: { readonly type: string; readonly id: string }
  readonly aggregate: Aggregate<Value>
  /** Groups of the next level; the last level has none. */
  readonly items?: readonly Item<Value>[]
}

/** Names, ids and other fields of a deepest group's groupings, and its metrics. */
export type FlatRow = Readonly<Record<string, number | string | boolean | null>>

/** Pure: what the presenter makes of every group. */
export function presentGroups<Value extends PresentedValue>(
  presenter: Presenter<Value>,
  { flatten, range }: { readonly flatten: boolean; readonly range: TimeRange },
): ReportBody<Value> {
  return {
    range: rangeText(range),
    aggregate: aggregateOf(presenter, root),
    entities: new JsonHash(into => writeEntities(into, presenter)),
    items: new JsonList(into => (flatten ? writeRows(into, presenter) : writeItems(into, presenter))),
  }
}

function rangeText({ startMs, endMs }: TimeRange) {
  return { start: isoText(startMs), end: isoText(endMs) }
}

function aggregateOf<Value extends PresentedValue>(
  { names, valueAt }: Presenter<Value>,
  group: Group,
): Aggregate<Value> {
  return Object.fromEntries(names.map((name, i) => [name, valueAt(group, i)]))
}

/** Pure: the deepest groups as rows of cells, made one by one: what names each level, then the values. Without groups the whole report is one row. */
export function* cellRows<Value extends PresentedValue>(
  presenter: Presenter<Value>,
): Generator<readonly PresentedValue[]> {
  for (const { members, group } of deepest(presenter)) {
    const cells: PresentedValue[] = []
    for (const { cells: names } of members) cells.push(...names)
    for (let i = 0; i < presenter.names.length; i++) cells.push(presenter.valueAt(group, i))
    yield cells
  }
}
