import { columnOf, type Entity, type Relation } from '../model/entity.ts'
import { entityNamed } from '../model/entities/model.ts'
import type { SelectBuilder } from '../compile/select.ts'
import { charsOf, type Selected } from './selection.ts'

/** How a row of an answer becomes an object of the result. */
export interface Reader {
  /** The names of the answer in the order asked, with the values that each row has alike. */
  readonly template: Readonly<Record<string, unknown>>
  /** Characters of the names, the punctuation and the type names of a row. */
  readonly chars: number
  readonly columns: readonly (readonly [key: string, alias: string])[]
  /** `present`: the alias of a column that every such row has. */
  readonly ones: readonly { readonly key: string; readonly present: string; readonly reader: Reader }[]
  readonly lists: readonly NestedList[]
}

/** A list within a row; `own`: the alias of the row's end of the relation. */
export interface NestedList {
  readonly selected: Selected
  readonly relation: Relation
  readonly entity: Entity
  readonly own: string
  readonly isAggregate: boolean
}

const aggregateEnd = '_aggregate'

/** Has the SELECT read what is selected of an entity's rows, and tells how to read it. */
export function readerOf(
  entity: Entity,
  fields: readonly Selected[],
  select: SelectBuilder,
  path: readonly string[] = [],
): Reader {
  const columns: (readonly [string, string])[] = []
  const ones: Reader['ones'][number][] = []
  const lists: NestedList[] = []
  for (const selected of fields) {
    const { key, name, typeName } = selected
    if (typeName !== null) continue
    const relation = entity.relations[name]
    const counted = name.endsWith(aggregateEnd) ? entity.relations[name.slice(0, -aggregateEnd.length)] : undefined
    if (relation?.kind === 'object') {
      const target = entityNamed(relation.to)
      const to = [...path, name]
      const reader = readerOf(target, selected.fields, select, to)
      ones.push({ key, present: select.column(to, relation.their), reader })
    } else if (relation ?? counted) {
      lists.push(nested(relation ?? counted, counted !== undefined, selected, select, path))
    } else {
      columnOf(entity, name)
      columns.push([key, select.column(path, name)])
    }
  }
  const template = Object.fromEntries(fields.map(({ key, typeName }) => [key, typeName]))
  return { template, chars: charsOf(fields), columns, ones, lists }
}

function nested(
  relation: Relation | undefined,
  isAggregate: boolean,
  selected: Selected,
  select: SelectBuilder,
  path: readonly string[],
): NestedList {
  if (!relation) throw new Error('invariant: a nested list has a relation')
  return { selected, relation, entity: entityNamed(relation.to), own: select.column(path, relation.own), isAggregate }
}
