import { empty, join, type Sql, sql } from '../../../clickhouse/sql/sql.ts'
import { identifier } from '../../../clickhouse/tables/table.ts'
import type { Kind } from '../../../clickhouse/client/kinds.ts'
import { type Bounds, columnOf, type Entity, type Relation, unbounded } from '../model/entity.ts'
import { entityNamed } from '../model/entities/model.ts'
import type { QueryScope } from '../model/scope.ts'
import { scalarHandlerOf } from './values.ts'

/** Rows of one entity in a SELECT: those of the list, or those of an object relation that is joined. */
interface Part {
  readonly name: string
  readonly entity: Entity
  readonly columns: Set<string>
  readonly from?: { readonly part: Part; readonly relation: Relation }
}

/** Builds the SELECT of a list: its own columns and, joined, those of its object relations. */
export class SelectBuilder {
  readonly #parts = new Map<string, Part>()
  readonly #columns = new Map<string, { readonly alias: string; readonly part: Part; readonly name: string }>()
  readonly #scope: QueryScope

  constructor(entity: Entity, scope: QueryScope) {
    this.#scope = scope
    this.#parts.set('', { name: 't', entity, columns: new Set() })
  }

  /** Adds a column of the entity at the end of the relation path; returns its alias. */
  column(path: readonly string[], name: string): string {
    const part = this.#part(path)
    const id = `${part.name}.${name}`
    let found = this.#columns.get(id)
    if (!found) {
      columnOf(part.entity, name)
      part.columns.add(name)
      found = { alias: `c${this.#columns.size}`, part, name }
      this.#columns.set(id, found)
    }
    return found.alias
  }

  /** The decoder of the values of each alias. */
  shape(): Readonly<Record<string, Kind<unknown>>> {
    const kinds = [...this.#columns.values()].map(
      ({ alias, part, name }) => [alias, scalarHandlerOf(columnOf(part.entity, name).type).kind] as const,
    )
    return Object.fromEntries(kinds)
  }

  /** Renders SELECT and FROM. `needed`: columns that the conditions read; `bounds`: limits of the list's rows. */
  render(where: readonly Sql[], needed: ReadonlySet<string>, bounds: Bounds): Sql {
    const [list, ...joined] = this.#parts.values()
    if (!list) throw new Error('invariant: the first part of a SELECT is the list')
    const selected = [...this.#columns.values()].map(
      ({ alias, part, name }) => sql`${columnReference(part, name)} AS ${identifier(alias)}`,
    )
    const joins = joined.map(part => this.#join(part))
    return sql`
      SELECT ${join(selected)} FROM (${this.#rows(list, where, needed, bounds)}) AS ${identifier(list.name)}${join(joins, empty)}`
  }

  #part(path: readonly string[]): Part {
    const id = path.join('.')
    const found = this.#parts.get(id)
    if (found) return found
    const part = this.#part(path.slice(0, -1))
    const relation = part.entity.relations[path.at(-1) ?? '']
    if (relation?.kind !== 'object') throw new Error(`invariant: ${part.entity.name} has no relation ${id} to one row`)
    const entity = entityNamed(relation.to)
    part.columns.add(relation.own)
    const made: Part = {
      name: `j${this.#parts.size}`,
      entity,
      columns: new Set([relation.their]),
      from: { part, relation },
    }
    this.#parts.set(id, made)
    return made
  }

  #join(part: Part): Sql {
    if (!part.from) return empty
    const { part: left, relation } = part.from
    return sql`
      LEFT ANY JOIN (${this.#rows(part, [], new Set(), unbounded)}) AS ${identifier(part.name)}
      ON ${columnReference(left, relation.own)} = ${columnReference(part, relation.their)}`
  }

  #rows({ entity, columns }: Part, where: readonly Sql[], needed: ReadonlySet<string>, bounds: Bounds): Sql {
    const selected = [...columns].map(name => {
      const column = columnOf(entity, name)
      return sql`${scalarHandlerOf(column.type).cast(column.sql(this.#scope))} AS ${identifier(`f_${name}`)}`
    })
    return sql`SELECT ${join(selected)} ${entity.source(this.#scope, where, new Set([...needed, ...columns]), bounds)}`
  }
}

function columnReference({ name }: Part, column: string): Sql {
  return sql`${identifier(name)}.${identifier(`f_${column}`)}`
}
