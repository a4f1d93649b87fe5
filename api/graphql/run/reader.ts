import { columnOf, type Entity, type Relation } from '../model/entity.ts'
import { entityNamed } from '../model/entities/model.ts'
import type { SelectBuilder } from '../compile/select.ts'
import { charsOf, type Selected } from './selection.ts'

/** Describes how a row of a result becomes an object of the response. */
export interface Reader {
  /** All response names in order, with the values that are equal in all rows. */
  readonly template: Readonly<Record<string, unknown>>
  /** Number of characters of the names, the punctuation and the type names in a row's JSON. */
  readonly chars: number
  readonly columns: readonly (readonly [key: string, alias: string])[]
  /** Object relations. `present`: alias of a column that is NULL only if there is no related row. */
  readonly ones: readonly { readonly key: string; readonly present: string; readonly reader: Reader }[]
  readonly lists: readonly NestedList[]
}

/** A list within a row. `own`: alias of the column of the row that the relation compares. */
export interface NestedList {
  readonly selected: Selected
  readonly relation: Relation
  readonly entity: Entity
  readonly own: string
  readonly isAggregate: boolean
}

const aggregateSuffix = '_aggregate'

/** Adds the selected columns to the SELECT and returns the reader of its rows. */
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
    const counted = name.endsWith(aggregateSuffix)
      ? entity.relations[name.slice(0, -aggregateSuffix.length)]
      : undefined
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
