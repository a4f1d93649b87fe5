import { columnOf, type Entity } from '../model/entity.ts'
import { functions, type FunctionName } from '../model/functions.ts'
import { roots } from '../model/entities/model.ts'
import type { QueryScope } from '../model/scope.ts'
import type { OperationContext } from './context.ts'
import { reportRoots } from '../model/reports.ts'
import { runFunction } from './functions.ts'
import { runAggregate, runList } from './lists.ts'
import { type Read, readsOf } from './reads.ts'
import { runReport } from './reports.ts'
import type { Selected } from './selection.ts'

const suffixes = { aggregate: '_aggregate', byKey: '_by_pk' } as const

/** A root field that reads a list: its rows, its aggregates, or one row by key. */
interface RootList {
  readonly kind: 'list' | 'aggregate' | 'one'
  readonly entity: Entity
  readonly args: Readonly<Record<string, unknown>>
}

/** Resolves a root field to its complete value; throws a `GraphQLError` for a caller's error. */
export async function resolveRoot({ name, args, fields }: Selected, operation: OperationContext): Promise<unknown> {
  if (operation.slice.isOver) await operation.slice.next()
  operation.argumentBudget.countFields(args, fields)
  const list = rootList(name, args)
  if (list) return resolveList(list, fields, operation)
  const report = reportRoots[name]
  if (report) return runReport(report, args, fields, operation)
  if (isFunction(name)) return runFunction(name, args, fields, operation)
  throw new Error(`invariant: unknown root field ${name}`)
}

async function resolveList(
  { kind, entity, args }: RootList,
  fields: readonly Selected[],
  operation: OperationContext,
): Promise<unknown> {
  const request = { entity, args, parents: null }
  const rowFields = kind === 'aggregate' ? fields.flatMap(field => field.fields) : fields
  const reads = readsOf({ entity, args, fields: rowFields }, operation.machineRef)
  operation.onReads(reads)
  // Only stored samples reveal new keys, so the samples that were accepted before must be stored first.
  if (reads.some(({ source }) => source === 'stored-values')) await operation.recentSamples(operation.scope.nowMs)
  const own = { ...operation, scope: { ...operation.scope, recentValues: recentOf(reads, operation) } }
  if (kind === 'aggregate') return (await runAggregate(request, fields, own))(null)
  const rows = (await runList(request, fields, own)).get(null)
  return kind === 'list' ? (rows ?? []) : (rows?.[0] ?? null)
}

/** The latest values that the list may contain but that may not be stored yet. */
function recentOf(reads: readonly Read[], { recentValues, scope }: OperationContext): QueryScope['recentValues'] {
  const shown = reads.filter(({ source }) => source === 'values')
  if (shown.length === 0) return []
  return recentValues(
    scope.companyRef,
    unionOrNull(shown.map(({ machines }) => machines)),
    unionOrNull(shown.map(({ keys }) => keys)),
  )
}

/** The union of the sets; null, which means all values, if one of them is null. */
function unionOrNull<T>(sets: readonly (ReadonlySet<T> | null)[]): ReadonlySet<T> | null {
  const known = sets.filter(set => set !== null)
  return known.length === sets.length ? new Set(known.flatMap(set => Array.from(set))) : null
}

function rootList(name: string, args: RootList['args']): RootList | null {
  const listed = roots[name]
  if (listed) return { kind: 'list', entity: listed, args }
  const counted = findRoot(name, suffixes.aggregate)
  if (counted) return { kind: 'aggregate', entity: counted, args }
  const keyed = findRoot(name, suffixes.byKey)
  return keyed ? { kind: 'one', entity: keyed, args: { where: whereKey(keyed, args), limit: 1 } } : null
}

function findRoot(name: string, end: string): Entity | undefined {
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
