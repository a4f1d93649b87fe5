import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { ExportedFile } from '../../files/files.ts'
import { JsonHash, JsonList } from '../../json/write-json.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import { type Group, type GroupTree, root } from '../fold/group-tree.ts'
import type { GroupingName } from '../../../schema/groupings.ts'
import type { GroupMember } from '../groupings/grouping-levels.ts'
import { type JsonChunk, jsonChunk, type JsonWriter } from '../../json/json-writer.ts'

/** A report as the API returns it. */
export interface ReportBody<Value extends PresentedValue = number | null> {
  readonly range: { readonly start: string; readonly end: string }
  /** The exported file, if the request names one. */
  readonly csv?: ExportedFile
  readonly aggregate: Aggregate<Value>
  /** The entities of the items, by grouping, then by id. */
  readonly entities: JsonHash<Entities>
  readonly items: JsonList<Item<Value> | FlatRow>
}

export type Entities = Readonly<Record<string, Readonly<Record<string, object>>>>

type Aggregate<Value = number | null> = Readonly<Record<string, Value>>

export interface Item<Value = number | null> {
  readonly entity: { readonly type: string; readonly id: string }
  readonly aggregate: Aggregate<Value>
  /** Groups of the next level; the last level has none. */
  readonly items?: readonly Item<Value>[]
}

/** Names, ids and other fields of a deepest group's groupings, and its metrics. */
export type FlatRow = Readonly<Record<string, number | string | boolean | null>>

/** Pure: the response with the values of every group. */
export function presentGroups<Value extends PresentedValue>(
  presenter: Presenter<Value>,
  flatten: boolean,
  { startMs, endMs }: TimeRange,
): ReportBody<Value> {
  return {
    range: { start: isoText(startMs), end: isoText(endMs) },
    aggregate: Object.fromEntries(presenter.names.map((name, i) => [name, presenter.valueAt(root, i)])),
    entities: new JsonHash(into => writeEntities(into, presenter)),
    items: new JsonList(into => (flatten ? writeRows(into, presenter) : writeItems(into, presenter))),
  }
}

/** Pure: a row of cells per deepest group: the cells of each level, then the values. Without groups, the whole report is one row. */
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

/** The values of groups that a report shows. */
export interface GroupValues<Value extends PresentedValue> {
  /** Names of the values of a group, in the order of the response. */
  readonly names: readonly string[]
  /** A value by the index of its name. */
  readonly valueAt: (group: Group, index: number) => Value
  readonly isShown: (group: Group) => boolean
}

/** The groups of a report, with their values. */
export interface Presenter<Value extends PresentedValue> extends GroupValues<Value> {
  readonly groups: readonly GroupingName[]
  readonly tree: GroupTree
}

export type PresentedValue = number | string | null

/** The groups of the last level in order, each with its members of all levels; without levels, the whole report. */
function* deepest(
  presenter: Presenter<PresentedValue>,
  parent = root,
  above: readonly GroupMember[] = [],
): Generator<{ readonly members: readonly GroupMember[]; readonly group: Group }> {
  const left = presenter.groups.length - above.length
  if (left === 0) return yield { members: [], group: parent }
  for (const group of presenter.tree.childrenOf(parent, presenter.isShown)) {
    const members = [...above, presenter.tree.memberOf(group)]
    if (left === 1) yield { members, group }
    else yield* deepest(presenter, group, members)
  }
}

/** Writes the groups of the first level in order, each with the groups within it; yields when a chunk is complete. */
function* writeItems(into: JsonWriter, presenter: Presenter<PresentedValue>): Generator<void> {
  const { groups, tree, isShown } = presenter
  const types = groups.map(group => JSON.stringify(group))
  const writeValues = valuesWriter(into, presenter)
  const within = function* (parent: Group, level: number): Generator<void> {
    const type = types[level]
    if (type === undefined) return
    let separator = nothing
    for (const group of tree.childrenOf(parent, isShown)) {
      into.chunk(separator)
      into.chunk(headOf(tree.memberOf(group), type))
      writeValues(group)
      if (level + 1 === types.length) into.chunk(endOfDeepest)
      else {
        into.chunk(startOfItems)
        yield* within(group, level + 1)
        into.chunk(endOfItems)
      }
      separator = comma
      if (into.isFull) yield
    }
  }
  yield* within(root, 0)
}

/** The deepest groups as flat rows; pauses as `writeItems`. */
function* writeRows(into: JsonWriter, presenter: Presenter<PresentedValue>): Generator<void> {
  const namesOf = cacheText(({ flat }) => `${JSON.stringify(flat).slice(1, -1)},`)
  const writeValues = valuesWriter(into, presenter)
  let start = startOfRow
  for (const { members, group } of deepest(presenter)) {
    into.chunk(start)
    for (const member of members) into.text(namesOf(member))
    writeValues(group)
    into.chunk(endOfRow)
    start = startOfNextRow
    if (into.isFull) yield
  }
}

const [nothing, comma] = [jsonChunk(''), jsonChunk(',')]
const [startOfRow, startOfNextRow, endOfRow] = [jsonChunk('{'), jsonChunk(',{'), jsonChunk('}')]
const [startOfItems, endOfItems, endOfDeepest] = [jsonChunk('},"items":['), jsonChunk(']}'), jsonChunk('}}')]

/**
 * The start of an item's JSON, by the item's member. A member belongs to one grouping. Machines are the same members in
 * all reports until one of them changes.
 */
const heads = new WeakMap<GroupMember, JsonChunk>()

function headOf(member: GroupMember, type: string): JsonChunk {
  let head = heads.get(member)
  if (!head) {
    head = jsonChunk(`{"entity":{"type":${type},"id":${JSON.stringify(member.id)}},"aggregate":{`)
    heads.set(member, head)
  }
  return head
}

/** Keeps the text that is written for each member: there are far fewer members than groups. */
function cacheText(textOf: (member: GroupMember) => string): (member: GroupMember) => string {
  const known = new Map<GroupMember, string>()
  return member => {
    let written = known.get(member)
    if (written === undefined) known.set(member, (written = textOf(member)))
    return written
  }
}

/** Writes names and values of a group as members of a JSON object. */
function valuesWriter(into: JsonWriter, { names, valueAt }: Presenter<PresentedValue>): (group: Group) => void {
  const heads = names.map((name, i) => jsonChunk(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`))
  return group => {
    let index = 0
    for (const head of heads) {
      into.chunk(head)
      into.value(valueAt(group, index++))
    }
  }
}

/** Writes the entities that the items name, by grouping, then by id. */
function* writeEntities(into: JsonWriter, { groups, tree, isShown }: Presenter<PresentedValue>): Generator<void> {
  for (const [level, group] of groups.entries()) {
    into.text(`${level === 0 ? '' : ','}${JSON.stringify(group)}:{`)
    const members = tree.membersAt(level + 1, isShown)
    if (members.length <= maxCachedMembers) into.text(cachedText(members))
    else yield* writeMembers(into, members)
    into.text('}')
    if (into.isFull) yield
  }
}

/** Maximum length of a list whose text is cached: longer ones hold events and are rarely requested twice. */
const maxCachedMembers = 20_000

function* writeMembers(into: JsonWriter, members: readonly GroupMember[]): Generator<void> {
  let separator = ''
  for (const member of members) {
    into.text(`${separator}${memberText(member)}`)
    separator = ','
    if (into.isFull) yield
  }
}

function memberText({ id, entity }: GroupMember): string {
  return `${JSON.stringify(id)}:${JSON.stringify(entity)}`
}

/**
 * Texts of lists, by their first member. Machines are the same members in all reports until one of them changes, and
 * most reports have all of them.
 */
const entityTexts = new WeakMap<GroupMember, { readonly members: readonly GroupMember[]; readonly text: string }>()

function cachedText(members: readonly GroupMember[]): string {
  const [first] = members
  if (!first) return ''
  let written = entityTexts.get(first)
  const isSame = written?.members.length === members.length && members.every((each, i) => each === written?.members[i])
  if (!written || !isSame) {
    written = { members, text: members.map(memberText).join(',') }
    entityTexts.set(first, written)
  }
  return written.text
}
