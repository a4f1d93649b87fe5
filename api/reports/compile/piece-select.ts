import { ident, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import type { PieceColumn } from '../sums/sum-columns.ts'
import type { Elements } from './documents.ts'
import { type Member, memberColumn, type PieceKind, type PieceSource } from './piece-sources.ts'

/**
 * A SELECT of the machine and the requested columns of a source's elements; null if none of its kinds has them. `read`
 * returns the FROM clause; null: nothing is read. The arrays of all kinds are concatenated and unfolded in one SELECT:
 * each further SELECT costs as much planning as its columns, and planning dominates the report of a small plant.
 */
export function selectPieces(
  { kinds, columns, where }: PieceSource,
  wanted: ReadonlySet<PieceColumn>,
  read: (elements: Elements) => Sql | null,
): Sql | null {
  const giving = kinds.filter(({ gives }) => gives.some(name => wanted.has(name)))
  if (giving.length === 0) return null
  const names = [...wanted]
  const conditions = where ? [where] : []
  const members = new Set([...names.map(name => columns[name]), ...conditions].flatMap(each => each.members))
  const rows = read({
    unfold: [...members].map(name => sql`${arrayOf(name, giving)} AS ${memberColumn(name)}`),
    isPadded: giving.length > 1,
    where: conditions.map(each => each.sql),
  })
  return (
    rows &&
    sql`
  SELECT machine, ${join(names.map(name => sql`${columns[name].sql} AS ${ident(name)}`))}
  ${rows}`
  )
}

/** A member of the pieces of all kinds, in their order: 0 for kinds that lack it, which may be missing at the end. */
function arrayOf(member: Member, kinds: readonly PieceKind[]): Sql {
  const arrays: Sql[] = []
  let lacking: Sql[] = []
  for (const { arrays: given, count } of kinds) {
    const array = given[member]
    if (array === undefined) {
      lacking.push(count)
      continue
    }
    if (lacking.length > 0) arrays.push(sql`arrayWithConstant(${join(lacking, sql` + `)}, 0)`)
    lacking = []
    arrays.push(array)
  }
  const [first, ...others] = arrays
  if (first === undefined) throw new Error(`invariant: no kind of piece gives ${member}`)
  return others.length === 0 ? first : sql`arrayConcat(${join(arrays)})`
}
