import type { GroupingName } from '../../schema/groupings.ts'
import type { TimeRange } from '../../processors/calendar/types.ts'
import type { CsvLink } from '../files/keep-report.ts'
import type { Dimension, Member } from './dimensions.ts'
import { isoText } from './iso-text.ts'

/** A report as it is answered. */
export interface ReportBody<Value extends PresentedValue = number | null> {
  readonly range: { readonly start: string; readonly end: string }
  /** Where the report is kept as a file, if it was wanted so. */
  readonly csv?: CsvLink
  readonly aggregate: Aggregate<Value>
  /** By grouping, then by id: of everything that the items name. */
  readonly entities: Readonly<Record<string, Readonly<Record<string, object>>>>
  /** Made one by one, each time anew: there may be hundreds of thousands. */
  readonly items: Iterable<Item<Value> | FlatRow>
}

export type Aggregate<Value = number | null> = Readonly<Record<string, Value>>

export interface Item<Value = number | null> {
  readonly entity: { readonly type: string; readonly id: string }
  readonly aggregate: Aggregate<Value>
  /** Groups of the next level; the last level has none. */
  readonly items?: readonly Item<Value>[]
}

/** Names and ids of a deepest group's groupings, and its metrics. */
export type FlatRow = Readonly<Record<string, number | string | null>>

/** Pure: what the presenter makes of every group. */
export function presentGroups<G extends Tree<G>, Value extends PresentedValue>(
  presenter: Presenter<G, Value>,
  root: G,
  { flatten, range }: { readonly flatten: boolean; readonly range: TimeRange },
): ReportBody<Value> {
  const entities = entitiesOf(presenter, root)
  return {
    range: rangeText(range),
    aggregate: presenter.aggregate(root),
    entities: Object.fromEntries(presenter.groups.map((group, level) => [group, entities[level] ?? {}])),
    items: {
      [Symbol.iterator]: () => (flatten ? flatRows(presenter, root, 0, {}) : itemsOf(presenter, root, 0)),
    },
  }
}

/** By level, by id: what the items will name, in their order. */
function entitiesOf<G extends Tree<G>, Value>(
  { isThere, groups }: Presenter<G, Value>,
  root: G,
): readonly Readonly<Record<string, object>>[] {
  const found = groups.map(() => new Set<Member>())
  const visit = (parent: G, level: number): void => {
    for (const [member, group] of parent.children ?? []) {
      if (!isThere(group)) continue
      found[level]?.add(member)
      visit(group, level + 1)
    }
  }
  visit(root, 0)
  return found.map(members => Object.fromEntries([...members].sort(byPosition).map(({ id, entity }) => [id, entity])))
}

/** Call it when all groups are formed: now every member gets its place. */
export function createPresenter<G, Value>(
  dimensions: readonly Dimension[],
  how: Pick<Presenter<G, Value>, 'aggregate' | 'isThere'>,
): Presenter<G, Value> {
  for (const dimension of dimensions) dimension.arrange()
  return { ...how, groups: dimensions.map(({ group }) => group) }
}

export function rangeText({ startMs, endMs }: TimeRange) {
  return { start: isoText(startMs), end: isoText(endMs) }
}

/** A group with groups of the next level within it; null on the last level. */
export interface Tree<G> {
  readonly children: ReadonlyMap<Member, G> | null
}

type PresentedValue = number | string | null

/** How a report's groups are shown. */
export interface Presenter<G, Value> {
  readonly aggregate: (group: G) => Aggregate<Value>
  /** Whether the report has something in it. */
  readonly isThere: (group: G) => boolean
  readonly groups: readonly GroupingName[]
}

function* itemsOf<G extends Tree<G>, Value>(
  presenter: Presenter<G, Value>,
  parent: G,
  level: number,
): Generator<Item<Value>> {
  const type = presenter.groups[level] ?? ''
  for (const [{ id }, group] of childrenOf(presenter, parent)) {
    const item = { entity: { type, id }, aggregate: presenter.aggregate(group) }
    yield group.children ? Object.assign(item, { items: [...itemsOf(presenter, group, level + 1)] }) : item
  }
}

/** Pure: the deepest groups as flat rows, made one by one; begin with the root, level 0 and no names. */
export function* flatRows<G extends Tree<G>, Value extends PresentedValue>(
  presenter: Presenter<G, Value>,
  parent: G,
  level: number,
  names: FlatRow,
): Generator<FlatRow> {
  for (const [{ flat }, group] of childrenOf(presenter, parent)) {
    const row = { ...names, ...flat }
    if (group.children) yield* flatRows(presenter, group, level + 1, row)
    else yield { ...row, ...presenter.aggregate(group) }
  }
}

/**
 * Pure: the deepest groups as rows of cells, made one by one: what names each level, then the values
 * of these names. Begin with the root.
 */
export function* cellRows<G extends Tree<G>, Value extends PresentedValue>(
  presenter: Presenter<G, Value>,
  parent: G,
  names: readonly string[],
  before: readonly PresentedValue[] = [],
): Generator<readonly PresentedValue[]> {
  for (const [{ flat }, group] of childrenOf(presenter, parent)) {
    const cells = [...before, ...Object.values(flat)]
    if (group.children) {
      yield* cellRows(presenter, group, names, cells)
      continue
    }
    const values = presenter.aggregate(group)
    for (const name of names) cells.push(values[name] ?? null)
    yield cells
  }
}

/** A group's groups in order. */
function childrenOf<G extends Tree<G>, Value>(
  { isThere }: Presenter<G, Value>,
  parent: G,
): readonly (readonly [Member, G])[] {
  const children = [...(parent.children ?? [])].filter(([, group]) => isThere(group))
  return children.sort(([a], [b]) => byPosition(a, b))
}

function byPosition(a: Member, b: Member): number {
  return a.position - b.position
}
