import { type JsonPiece, jsonPiece, type JsonWriter } from '../../json/json-writer.ts'
import type { GroupMember } from '../groupings/member.ts'
import { type Group, root } from '../fold/group-tree.ts'
import { deepest, type PresentedValue, type Presenter } from './presenter.ts'

/** The first level's groups in order, each with those within it; pauses where enough is written to be sent. */
export function* writeItems(into: JsonWriter, presenter: Presenter<PresentedValue>): Generator<void> {
  const { groups, childrenOf, memberOf } = presenter
  const types = groups.map(group => JSON.stringify(group))
  const writeValues = valuesWriter(into, presenter)
  const within = function* (parent: Group, level: number): Generator<void> {
    const type = types[level]
    if (type === undefined) return
    let separator = nothing
    for (const group of childrenOf(parent)) {
      into.piece(separator)
      into.piece(headOf(memberOf(group), type))
      writeValues(group)
      if (level + 1 === types.length) into.piece(endOfDeepest)
      else {
        into.piece(startOfItems)
        yield* within(group, level + 1)
        into.piece(endOfItems)
      }
      separator = comma
      if (into.isFull) yield
    }
  }
  yield* within(root, 0)
}

/** The deepest groups as flat rows; pauses as `writeItems`. */
export function* writeRows(into: JsonWriter, presenter: Presenter<PresentedValue>): Generator<void> {
  const namesOf = remember(({ flat }) => `${JSON.stringify(flat).slice(1, -1)},`)
  const writeValues = valuesWriter(into, presenter)
  let start = startOfRow
  for (const { members, group } of deepest(presenter)) {
    into.piece(start)
    for (const member of members) into.text(namesOf(member))
    writeValues(group)
    into.piece(endOfRow)
    start = startOfNextRow
    if (into.isFull) yield
  }
}

const [nothing, comma] = [jsonPiece(''), jsonPiece(',')]
const [startOfRow, startOfNextRow, endOfRow] = [jsonPiece('{'), jsonPiece(',{'), jsonPiece('}')]
const [startOfItems, endOfItems, endOfDeepest] = [jsonPiece('},"items":['), jsonPiece(']}'), jsonPiece('}}')]

/**
 * The start of an item's JSON, by the item's member. A member belongs to one grouping. Machines are the same members in
 * all reports until one of them changes.
 */
const heads = new WeakMap<GroupMember, JsonPiece>()

function headOf(member: GroupMember, type: string): JsonPiece {
  let head = heads.get(member)
  if (!head) {
    head = jsonPiece(`{"entity":{"type":${type},"id":${JSON.stringify(member.id)}},"aggregate":{`)
    heads.set(member, head)
  }
  return head
}

/** Keeps the text that is written for each member: there are far fewer members than groups. */
function remember(textOf: (member: GroupMember) => string): (member: GroupMember) => string {
  const known = new Map<GroupMember, string>()
  return member => {
    let written = known.get(member)
    if (written === undefined) known.set(member, (written = textOf(member)))
    return written
  }
}

/** Writes names and values of a group as members of a JSON object. */
function valuesWriter(into: JsonWriter, { names, valueAt }: Presenter<PresentedValue>): (group: Group) => void {
  const heads = names.map((name, i) => jsonPiece(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`))
  return group => {
    let index = 0
    for (const head of heads) {
      into.piece(head)
      into.value(valueAt(group, index++))
    }
  }
}

/** Writes the entities that the items name, by grouping, then by id. */
export function* writeEntities(into: JsonWriter, { groups, membersAt }: Presenter<PresentedValue>): Generator<void> {
  for (const [level, group] of groups.entries()) {
    into.text(`${level === 0 ? '' : ','}${JSON.stringify(group)}:{`)
    const members = membersAt(level)
    if (members.length <= maxCachedMembers) into.text(cachedText(members))
    else yield* writeMembers(into, members)
    into.text('}')
    if (into.isFull) yield
  }
}

/**
 * Maximum number of members of a list whose text is cached. Longer lists hold events, such as job runs, and are rarely
 * requested twice.
 */
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

interface Written {
  readonly members: readonly GroupMember[]
  readonly text: string
}

/**
 * Texts of lists, by their first member. Machines are the same members in all reports until one of them changes, and
 * most reports have all of them.
 */
const entityTexts = new WeakMap<GroupMember, Written>()

function cachedText(members: readonly GroupMember[]): string {
  const [first] = members
  if (!first) return ''
  let written = entityTexts.get(first)
  if (!written || !areSame(written.members, members)) {
    written = { members, text: members.map(memberText).join(',') }
    entityTexts.set(first, written)
  }
  return written.text
}

function areSame(some: readonly GroupMember[], others: readonly GroupMember[]): boolean {
  return some.length === others.length && some.every((member, i) => member === others[i])
}
