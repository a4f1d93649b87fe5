import { type JsonPiece, jsonPiece, type JsonWriter } from '../json-writer.ts'
import type { Member } from './member.ts'
import { deepest, type Presenter } from './presenter.ts'

/** The first level's groups in order, each with those within it; pauses where enough is written to be sent. */
export function* writeItems<G>(into: JsonWriter, presenter: Presenter<G>): Generator<void> {
  const { root, groups, childrenOf, memberOf } = presenter
  const heads = groups.map(group =>
    remember(({ id }) => `{"entity":{"type":${JSON.stringify(group)},"id":${JSON.stringify(id)}},"aggregate":{`),
  )
  const writeValues = valuesWriter(into, presenter)
  const within = function* (parent: G, level: number): Generator<void> {
    const headOf = heads[level]
    if (!headOf) return
    let separator = nothing
    for (const group of childrenOf(parent)) {
      into.piece(separator)
      into.piece(headOf(memberOf(group)))
      writeValues(group)
      if (level + 1 === heads.length) into.piece(endOfDeepest)
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
export function* writeRows<G>(into: JsonWriter, presenter: Presenter<G>): Generator<void> {
  const namesOf = remember(({ flat }) => `${JSON.stringify(flat).slice(1, -1)},`)
  const writeValues = valuesWriter(into, presenter)
  let start = startOfRow
  for (const { members, group } of deepest(presenter)) {
    into.piece(start)
    for (const member of members) into.piece(namesOf(member))
    writeValues(group)
    into.piece(endOfRow)
    start = startOfNextRow
    if (into.isFull) yield
  }
}

const [nothing, comma] = [jsonPiece(''), jsonPiece(',')]
const [startOfRow, startOfNextRow, endOfRow] = [jsonPiece('{'), jsonPiece(',{'), jsonPiece('}')]
const [startOfItems, endOfItems, endOfDeepest] = [jsonPiece('},"items":['), jsonPiece(']}'), jsonPiece('}}')]

/** What is written of a member: far fewer are told apart than there are groups. */
function remember(textOf: (member: Member) => string): (member: Member) => JsonPiece {
  const known = new Map<Member, JsonPiece>()
  return member => {
    let written = known.get(member)
    if (!written) known.set(member, (written = jsonPiece(textOf(member))))
    return written
  }
}

/** Writes names and values of a group, as they stand between the braces of an object. */
function valuesWriter<G>(into: JsonWriter, { names, valueAt }: Presenter<G>): (group: G) => void {
  const heads = names.map((name, i) => jsonPiece(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`))
  return group => {
    let index = 0
    for (const head of heads) {
      into.piece(head)
      into.value(valueAt(group, index++))
    }
  }
}
