import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { entriesOf, listOf } from '../compile/entries.ts'
import type { Entity, Relation } from '../model/entity.ts'
import { entityNamed } from '../model/entities/model.ts'
import type { SourceRead, Source } from '../model/source-reads.ts'
import type { Selected } from './selection.ts'

/** A source that an operation reads, limited to some machines and keys. */
export interface Read {
  readonly source: Source
  /** null: of all machines. */
  readonly machines: ReadonlySet<MachineRef> | null
  /** null: all keys. */
  readonly keys: ReadonlySet<string> | null
}

/** A selected list, with parsed arguments. */
interface ListSelection {
  readonly entity: Entity
  readonly args: Readonly<Record<string, unknown>>
  readonly fields: readonly Selected[]
}

/** Returns the ref of a machine; null: the company has no machine with that id. */
type RefOf = (machineId: string) => MachineRef | null

type Machines = ReadonlySet<MachineRef> | null

/** Pure: determines all sources that a list reads, including those of its filters, its order and its relations. */
export function readsOf(selection: ListSelection, refOf: RefOf): readonly Read[] {
  return collect(selection, null, refOf)
}

function collect({ entity, args, fields }: ListSelection, above: Machines, refOf: RefOf): readonly Read[] {
  const where = args['where']
  const machines = intersect(above, machinesIn(entity, where, refOf))
  const keys = textsIn(where, 'metricKey')
  const named = new Set([...namesIn(where), ...orderNames(args['order_by']), ...selectedColumns(fields, args)])
  const columnReads = [...named].flatMap(name => entity.columns[name]?.reads ?? [])
  const own = [...entity.reads, ...columnReads].flatMap(reading => readOf(reading, machines, keys))
  const leadsTo = (name: string): Relation | undefined =>
    entity.relations[name] ?? entity.relations[name.replace(/_aggregate$/, '')]
  const selected = fields.flatMap(({ name, args, fields }) => {
    const relation = leadsTo(name)
    if (!relation) return []
    const inner = name.endsWith('_aggregate') ? fields.flatMap(({ fields }) => fields) : fields
    return collect(
      { entity: entityNamed(relation.to), args, fields: inner },
      machinesOfRelation(relation, machines),
      refOf,
    )
  })
  return [...own, ...selected, ...ofFilter(entity, where, refOf), ...ofOrder(entity, args['order_by'], refOf)]
}

function readOf({ source, keys: only }: SourceRead, machines: Machines, keys: Read['keys']): readonly Read[] {
  if (!only) return [{ source, machines, keys }]
  const isRead = keys === null || only.some(key => keys.has(key))
  return isRead ? [{ source, machines, keys: null }] : []
}

/** The reads of a filter. A filter on a relation reads all rows of the related entity. */
function ofFilter(entity: Entity, where: unknown, refOf: RefOf): readonly Read[] {
  return entriesOf(where).flatMap(([name, value]) => {
    if (name === '_and' || name === '_or') return listOf(value).flatMap(each => ofFilter(entity, each, refOf))
    if (name === '_not') return ofFilter(entity, value, refOf)
    const relation = entity.relations[name]
    if (!relation) return []
    return collect({ entity: entityNamed(relation.to), args: { where: value }, fields: [] }, null, refOf)
  })
}

function ofOrder(entity: Entity, orderBy: unknown, refOf: RefOf): readonly Read[] {
  return listOf(orderBy).flatMap(each =>
    entriesOf(each).flatMap(([name, value]) => {
      const relation = entity.relations[name]
      if (!relation) return []
      return collect({ entity: entityNamed(relation.to), args: { order_by: [value] }, fields: [] }, null, refOf)
    }),
  )
}

/**
 * The names of the columns that are selected, counted or in `distinct_on`. The columns of an aggregate are one level
 * deeper.
 */
function selectedColumns(fields: readonly Selected[], args: ListSelection['args']): readonly string[] {
  const counted = fields.flatMap(({ args }) => listOf(args['columns']).map(String))
  const inner = fields.flatMap(({ fields }) => fields.map(({ name }) => name))
  return [...fields.map(({ name }) => name), ...inner, ...counted, ...listOf(args['distinct_on']).map(String)]
}

/** Names of columns in a filter, at any depth. */
function namesIn(where: unknown): readonly string[] {
  return entriesOf(where).flatMap(([name, value]) => {
    if (name === '_and' || name === '_or') return listOf(value).flatMap(namesIn)
    return name === '_not' ? namesIn(value) : [name]
  })
}

function orderNames(orderBy: unknown): readonly string[] {
  return listOf(orderBy).flatMap(each => entriesOf(each).map(([name]) => name))
}

/**
 * The machines of a relation's rows: those of its parent if the relation compares the ref or the id of the machine,
 * otherwise unlimited.
 */
function machinesOfRelation({ own, their }: Relation, machines: Machines): Machines {
  const isOfMachine = (own === 'machineRef' || own === 'machineId') && own === their
  return isOfMachine ? machines : null
}

/** The machines that a filter selects; null: unlimited. */
function machinesIn(entity: Entity, where: unknown, refOf: RefOf): Machines {
  return entriesOf(where).reduce<Machines>((machines, [name, value]) => {
    if (name === '_and')
      return listOf(value).reduce<Machines>((all, each) => intersect(all, machinesIn(entity, each, refOf)), machines)
    if (name === 'machineRef') return intersect(machines, refsIn(value))
    if (name === 'machineId') return intersect(machines, refsOfIds(value, refOf))
    const relation = entity.relations[name]
    if (name === 'machine' && relation) return intersect(machines, machinesIn(entityNamed(relation.to), value, refOf))
    return machines
  }, null)
}

function refsIn(comparison: unknown): Machines {
  const refs = findOperands(comparison)?.map(value => Number(value)) ?? null
  return refs && new Set(refs.filter(ref => Number.isSafeInteger(ref) && ref >= 0).map(asMachineRef))
}

/** An unknown id does not limit the machines, because it may be created later. */
function refsOfIds(comparison: unknown, refOf: RefOf): Machines {
  const refs = findOperands(comparison)?.map(value => refOf(String(value))) ?? null
  if (refs === null) return null
  const known = refs.filter(ref => ref !== null)
  return known.length === refs.length ? new Set(known) : null
}

function textsIn(where: unknown, column: string): Read['keys'] {
  return entriesOf(where).reduce<Read['keys']>((texts, [name, value]) => {
    if (name === '_and')
      return listOf(value).reduce<Read['keys']>((all, each) => intersect(all, textsIn(each, column)), texts)
    const operands = name === column ? findOperands(value) : null
    return operands ? intersect(texts, new Set(operands.map(String))) : texts
  }, null)
}

/** The operands of `_eq` or `_in`; null: the comparison has neither. */
function findOperands(comparison: unknown): readonly unknown[] | null {
  const values = new Map(entriesOf(comparison))
  if (values.has('_eq')) return [values.get('_eq')]
  const among = values.get('_in')
  return Array.isArray(among) ? among : null
}

function intersect<T>(a: ReadonlySet<T> | null, b: ReadonlySet<T> | null): ReadonlySet<T> | null {
  if (a === null || b === null) return a ?? b
  return new Set([...a].filter(each => b.has(each)))
}
