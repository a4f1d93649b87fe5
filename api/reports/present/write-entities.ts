import type { JsonWriter } from '../../json/json-writer.ts'
import type { Member } from '../groupings/member.ts'
import type { PresentedValue, Presenter } from './presenter.ts'

/** By grouping, then by id: what the items name. */
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

/** Of longer lists no text is kept: they are of what happened, such as job runs, and hardly asked for twice. */
const mostKept = 20_000

function* writeMembers(into: JsonWriter, members: readonly Member[]): Generator<void> {
  let separator = ''
  for (const member of members) {
    into.text(`${separator}${memberText(member)}`)
    separator = ','
    if (into.isFull) yield
  }
}

function memberText({ id, entity }: Member): string {
  return `${JSON.stringify(id)}:${JSON.stringify(entity)}`
}

interface Written {
  readonly members: readonly Member[]
  readonly text: string
}

/** By their first member. Machines are the same members in all reports until one of them changes, and mostly all are there. */
const known = new WeakMap<Member, Written>()

function keptText(members: readonly Member[]): string {
  const [first] = members
  if (!first) return ''
  let written = known.get(first)
  if (!written || !areSame(written.members, members)) {
    written = { members, text: members.map(memberText).join(',') }
    known.set(first, written)
  }
  return written.text
}

function areSame(some: readonly Member[], others: readonly Member[]): boolean {
  return some.length === others.length && some.every((member, i) => member === others[i])
}
