import type { GroupingName } from '../../schema/groupings.ts'
import type { TimeRange } from '../../processors/calendar/types.ts'
import type { CsvLink } from '../files/keep-report.ts'
import { JsonTexts } from '../json-texts.ts'
import type { Dimension } from './dimensions.ts'
import type { Member } from './member.ts'
import { isoText } from './iso-text.ts'

/** A report as it is answered. */
export interface ReportBody<Value extends PresentedValue = number | null> {
  readonly range: { readonly start: string; readonly end: string }
  /** Where the report is kept as a file, if it was wanted so. */
  readonly csv?: CsvLink
  readonly aggregate: Aggregate<Value>
  /** By grouping, then by id: of everything that the items name. */
  readonly entities: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly items: JsonTexts<Item<Value> | FlatRow>
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

/** How a report's groups are shown. */
export interface Presenter<G, Value> {
  /** The whole report. */
  readonly root: G
  readonly groups: readonly GroupingName[]
  /** The groups of the next level within it, in any order; a list of one's own. */
  readonly childrenOf: (group: G) => G[]
  readonly memberOf: (group: G) => Member
  /** Whether the report has something in it. */
  readonly isThere: (group: G) => boolean
  /** What the values of a group are called. */
  readonly names: readonly string[]
  readonly valuesOf: (group: G) => readonly Value[]
}

type PresentedValue = number | string | null

/** Pure: what the presenter makes of every group. */
export function presentGroups<G, Value extends PresentedValue>(
  presenter: Presenter<G, Value>,
  { flatten, range }: { readonly flatten: boolean; readonly range: TimeRange },
): ReportBody<Value> {
  const { root, groups } = presenter
  const entities = entitiesOf(presenter)
  return {
    range: rangeText(range),
    aggregate: aggregateOf(presenter, root),
    entities: Object.fromEntries(groups.map((group, level) => [group, entities[level] ?? {}])),
    items: new JsonTexts(() => (flatten ? flatRows(presenter) : itemsOf(presenter))),
  }
}

/** By level, by id: what the items will name, in their order. */
function entitiesOf<G, Value>(presenter: Presenter<G, Value>): readonly Readonly<Record<string, object>>[] {
  const { root, groups, isThere, childrenOf, memberOf } = presenter
  const found = groups.map(() => new Set<Member>())
  const visit = (parent: G, level: number): void => {
    if (level === groups.length) return
    for (const group of childrenOf(parent)) {
      if (!isThere(group)) continue
      found[level]?.add(memberOf(group))
      visit(group, level + 1)
    }
  }
  visit(root, 0)
  return found.map(members => Object.fromEntries([...members].sort(byPosition).map(({ id, entity }) => [id, entity])))
}

/** Call it when all groups are formed: now every member gets its place. */
export function createPresenter<G, Value>(
  dimensions: readonly Dimension[],
  how: Omit<Presenter<G, Value>, 'groups'>,
): Presenter<G, Value> {
  for (const dimension of dimensions) dimension.arrange()
  return { ...how, groups: dimensions.map(({ group }) => group) }
}

export function rangeText({ startMs, endMs }: TimeRange) {
  return { start: isoText(startMs), end: isoText(endMs) }
}

function aggregateOf<G, Value>({ names, valuesOf }: Presenter<G, Value>, group: G): Aggregate<Value> {
  const values = valuesOf(group)
  return Object.fromEntries(names.flatMap((name, i) => (values[i] === undefined ? [] : [[name, values[i]]])))
}

/** The first level's groups in order, each with those within it. */
function* itemsOf<G, Value extends PresentedValue>(presenter: Presenter<G, Value>): Generator<string> {
  const types = presenter.groups.map(group => JSON.stringify(group))
  const aggregate = aggregateText(presenter)
  const itemText = (group: G, level: number): string => {
    const id = JSON.stringify(presenter.memberOf(group).id)
    const own = `{"entity":{"type":${types[level]},"id":${id}},"aggregate":{${aggregate(group)}}`
    if (level + 1 === types.length) return `${own}}`
    const items = shownIn(presenter, group).map(child => itemText(child, level + 1))
    return `${own},"items":[${items.join(',')}]}`
  }
  if (types.length === 0) return
  for (const group of shownIn(presenter, presenter.root)) yield itemText(group, 0)
}

/** The deepest groups as flat rows. */
function* flatRows<G, Value extends PresentedValue>(presenter: Presenter<G, Value>): Generator<string> {
  const aggregate = aggregateText(presenter)
  const namesOf = rememberNames()
  for (const { members, group } of deepest(presenter)) yield `{${members.map(namesOf).join(',')},${aggregate(group)}}`
}

/** A member's columns of a flat row: far fewer are told apart than there are rows. */
function rememberNames(): (member: Member) => string {
  const known = new Map<Member, string>()
  return member => {
    let text = known.get(member)
    if (text === undefined) known.set(member, (text = JSON.stringify(member.flat).slice(1, -1)))
    return text
  }
}

/** Names and values of a group, as they stand between the braces of an object. */
function aggregateText<G, Value extends PresentedValue>({
  names,
  valuesOf,
}: Presenter<G, Value>): (group: G) => string {
  const heads = names.map((name, i) => `${i === 0 ? '' : ','}${JSON.stringify(name)}:`)
  return group => {
    const values = valuesOf(group)
    let text = ''
    for (let i = 0; i < heads.length; i++) text += heads[i] + valueText(values[i] ?? null)
    return text
  }
}

function valueText(value: PresentedValue): string {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value)
}

/** Pure: the deepest groups as rows of cells, made one by one: what names each level, then the values. */
export function* cellRows<G, Value extends PresentedValue>(
  presenter: Presenter<G, Value>,
): Generator<readonly PresentedValue[]> {
  for (const { members, group } of deepest(presenter)) {
    const cells: PresentedValue[] = []
    for (const { cells: names } of members) cells.push(...names)
    cells.push(...presenter.valuesOf(group))
    yield cells
  }
}

/** The groups of the last level in order, each with what it and those above it stand for. None where nothing is grouped by. */
function* deepest<G, Value>(
  presenter: Presenter<G, Value>,
  parent = presenter.root,
  above: readonly Member[] = [],
): Generator<{ readonly members: readonly Member[]; readonly group: G }> {
  const left = presenter.groups.length - above.length
  if (left === 0) return
  for (const group of shownIn(presenter, parent)) {
    const members = [...above, presenter.memberOf(group)]
    if (left === 1) yield { members, group }
    else yield* deepest(presenter, group, members)
  }
}

/** A group's groups in order. */
function shownIn<G, Value>({ childrenOf, memberOf, isThere }: Presenter<G, Value>, parent: G): readonly G[] {
  const position = (group: G) => memberOf(group).position
  return childrenOf(parent)
    .filter(isThere)
    .sort((a, b) => position(a) - position(b))
}

function byPosition(a: Member, b: Member): number {
  return a.position - b.position
}
