import type { JsonWriter } from '../../json/json-writer.ts'
import type { GroupMember } from '../groupings/member.ts'
import type { PresentedValue, Presenter } from './presenter.ts'

/** Writes the entities that the items name, by grouping, then by id. */
export function* writeEntities(into: JsonWriter, { groups, membersAt }: Presenter<PresentedValue>): Generator<void> {
  for (const [level, group] of groups.entries()) {
    into.text(`${level === 0 ? '' : ','}${JSON.stringify(group)}:{`)
    const members = membersAt(level)
    if (members.length <= mostKept) into.text(keptText(members))
    else yield* writeMembers(into, members)
    into.text('}')
    if (into.isFull) yield
  }
}

/**
 * Most members of a list whose text is kept. Longer lists hold what happened, such as job runs, and are hardly asked
 * for twice.
 */
const mostKept = 20_000

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
const known = new WeakMap<GroupMember, Written>()

function keptText(members: readonly GroupMember[]): string {
  const [first] = members
  if (!first) return ''
  let written = known.get(first)
  if (!written || !areSame(written.members, members)) {
    written = { members, text: members.map(memberText).join(',') }
    known.set(first, written)
  }
  return written.text
}

function areSame(some: readonly GroupMember[], others: readonly GroupMember[]): boolean {
  return some.length === others.length && some.every((member, i) => member === others[i])
}
