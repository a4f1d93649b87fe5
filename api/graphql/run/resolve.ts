import type { GraphQLResolveInfo } from 'graphql'
import { columnOf, type Entity } from '../model/entity.ts'
import { functions, type FunctionName } from '../model/functions.ts'
import { roots } from '../model/model.ts'
import type { Operation } from './context.ts'
import { runFunction } from './functions.ts'
import { runAggregate, runList } from './lists.ts'
import { selectionOf } from './selection.ts'

const ends = { aggregate: '_aggregate', byKey: '_by_pk' } as const

/** The value of a root field, with all that is asked of it. */
export async function resolveRoot(
  args: Readonly<Record<string, unknown>>,
  operation: Operation,
  info: GraphQLResolveInfo,
): Promise<unknown> {
  const { fieldName: name } = info
  if (operation.slice.isOver) await operation.slice.next()
  const fields = selectionOf(info)
  operation.argumentBudget.take(args, fields)
  const listed = roots[name]
  if (listed) return (await runList({ entity: listed, args, parents: null }, fields, operation)).get(null) ?? []
  const counted = rootOf(name, ends.aggregate)
  if (counted) return (await runAggregate({ entity: counted, args, parents: null }, fields, operation))(null)
  const keyed = rootOf(name, ends.byKey)
  if (keyed) {
    const asked = { where: whereKey(keyed, args), limit: 1 }
    return (await runList({ entity: keyed, args: asked, parents: null }, fields, operation)).get(null)?.[0] ?? null
  }
  if (isFunction(name)) return runFunction(name, args, fields, operation)
  throw new Error(`invariant: no root field is called ${name}`)
}

function rootOf(name: string, end: string): Entity | undefined {
  return name.endsWith(end) ? roots[name.slice(0, -end.length)] : undefined
}

function whereKey(entity: Entity, args: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    entity.key.map(name => {
      columnOf(entity, name)
      return [name, { _eq: args[name] }]
    }),
  )
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(functions, name)
}
