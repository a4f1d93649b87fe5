import { type JsonPiece, jsonPiece, type JsonWriter } from '../json-writer.ts'
import type { Member } from './member.ts'
import type { Presenter } from './presenter.ts'

/** By grouping, then by id: what the items name. */
export function* writeEntities<G>(into: JsonWriter, { groups, membersAt }: Presenter<G>): Generator<void> {
  for (const [level, group] of groups.entries()) {
    into.text(`${level === 0 ? '' : ','}${JSON.stringify(group)}:{`)
    let isFirst = true
    for (const member of membersAt(level)) {
      if (!isFirst) into.piece(comma)
      into.piece(entityPiece(member))
      isFirst = false
      if (into.isFull) yield
    }
    into.text('}')
  }
}

const comma = jsonPiece(',')

/** Machines are the same members in all reports, until one of them changes. */
const known = new WeakMap<Member, JsonPiece>()

function entityPiece(member: Member): JsonPiece {
  let piece = known.get(member)
  if (!piece) {
    piece = jsonPiece(`${JSON.stringify(member.id)}:${JSON.stringify(member.entity)}`)
    known.set(member, piece)
  }
  return piece
}
