import { absentId, type EntityGrouping, groupings } from '../../../schema/groupings.ts'
import { jobOperationName, type NamedOperation } from '../../../schema/records/job-names.ts'
import type { KeyValue, QueryContext, RowKey } from '../query/query.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { NamedRun, NamedView } from '../company/job-runs.ts'
import { asMachineRef, type CompanyRef } from '../../../schema/refs.ts'
import { reasonCode } from '../../../schema/document.ts'
import { narrow, storedText } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { array, int32, sql } from '../../../clickhouse/sql/sql.ts'
import { nativeCodes } from '../../../clickhouse/tables/alarms.ts'
import { from } from '../../../clickhouse/tables/from.ts'
import { levelCodes } from '../../../clickhouse/tables/values.ts'
import type { NativeCode } from '../../../schema/alarm-instance.ts'

/** An entity that groups rows, as in `entities` of the response, with further fields by its type. */
export interface GroupEntity {
  readonly id: string
  readonly name: string
  readonly [field: string]: unknown
}

/** Groupings that only reports of events have: each such report has its own resolvers for them. */
type EventGrouping = 'reason' | 'nativeCode' | 'state' | IncidentGrouping
export type IncidentGrouping = 'incident' | 'rule' | 'severity' | 'kind' | 'acknowledgedBy'

/** Finds the entities of a grouping from the rows of a report. */
export interface EntityResolver {
  /** The key of a row that decides which entities are found. */
  readonly key: RowKey
  /** Finds the entities of a key value: none without such a dimension, several where groups overlap. */
  readonly find: (view: NamedView, value: KeyValue) => readonly GroupEntity[]
  /** The entity in `entities` of the response; by default unchanged. */
  readonly shown?: (entity: GroupEntity) => object
  /** Sort keys of items; by default the name. */
  readonly order?: (entity: GroupEntity) => readonly string[]
}

/** EntityResolvers of a report, by the groupings that it has. */
export type EntityResolvers = Readonly<Partial<Record<EntityGrouping, EntityResolver>>>

export const entityResolvers: Readonly<Record<Exclude<EntityGrouping, EventGrouping | 'machine'>, EntityResolver>> = {
  machineGroup: {
    key: 'machine',
    find: byRef((view, ref) => {
      const ids = view.machine(asMachineRef(ref))?.machineGroupIds ?? []
      return view.machineGroups.filter(({ id }) => ids.includes(id)).flatMap(named)
    }),
  },
  shift: {
    key: 'shift',
    find: byRef(({ shifts }, ref) => {
      const shift = shifts.get(ref)
      return shift ? [{ id: shift.id, name: shift.name, scheduleId: shift.scheduleId, optional: shift.optional }] : []
    }),
  },
  operator: {
    key: 'operators',
    find: ({ operators }, value) =>
      typeof value === 'number' ? [] : value.flatMap(ref => named(operators.get(ref) ?? null)),
  },
  jobOperation: {
    key: 'operation',
    find: byRef((view, ref) => {
      const found = view.operations.get(ref)
      return found ? [operationEntity(found)] : []
    }),
  },
  jobOperationRun: {
    key: 'run',
    find: byRef((view, ref) => {
      const run = view.runs.get(ref)
      return run ? [runEntity(run)] : []
    }),
  },
}

/** Finds the operation of rows that are grouped by run. */
export const operationOfRun: EntityResolver = {
  key: 'run',
  find: byRef((view, ref) => {
    const run = view.runs.get(ref)
    return run ? [operationEntity(run.operation)] : []
  }),
}

/** The entity of rows without this dimension. */
export function absentEntity(group: EntityGrouping): GroupEntity {
  return { id: absentId, name: groupings[group].absent ?? '', virtual: true }
}

export function byRef(find: (view: NamedView, ref: number) => readonly GroupEntity[]): EntityResolver['find'] {
  return (view, value) => (typeof value === 'number' && value !== 0 ? find(view, value) : [])
}

export function named(record: { readonly id: string; readonly name: string } | null): GroupEntity[] {
  return record ? [{ id: record.id, name: record.name }] : []
}

function operationEntity({ id, jobName, lotName, operationName, partName }: NamedOperation): GroupEntity {
  const names = { jobName, lotName, operationName, partName }
  return { id, name: jobOperationName(names), ...names }
}

function runEntity({ id, operation, machineId, startMs, endMs }: NamedRun): GroupEntity {
  const endAt = endMs === null ? null : isoText(endMs)
  return { id, name: id, jobOperationId: operation.id, machineId, startAt: isoText(startMs), endAt }
}

/** A reason of downtime or rejects, from the records. */
interface Reason {
  readonly id: number
  readonly name: string
  readonly color: string
}

const virtual: ReadonlyMap<number, GroupEntity> = new Map([
  [reasonCode.uncategorized, { id: 'uncategorized', name: 'Uncategorized', virtual: true }],
  [reasonCode.setup, { id: 'setup', name: 'Setup', virtual: true }],
])

/** Finds reasons by their stored codes: the virtual ones too. */
export function reasonResolver(reasons: readonly Reason[]): EntityResolver {
  const entities = new Map(reasons.map(({ id, name, color }) => [id, { id: String(id), name, color }]))
  return {
    key: 'reason',
    find: (_, code) => {
      const found = typeof code === 'number' ? (virtual.get(code) ?? entities.get(code) ?? unknown(code)) : null
      return found ? [found] : []
    },
    shown: entity => (entity['virtual'] === true ? entity : { ...entity, id: Number(entity.id) }),
  }
}

/** The name and colour of each stored code; virtual reasons have no colour. */
export function reasonNames(
  reasons: readonly Reason[],
): (code: number) => { readonly id: string; readonly name: string; readonly color: string | null } {
  const known = new Map(reasons.map(({ id, name, color }) => [id, { id: String(id), name, color }]))
  return code => {
    const found = virtual.get(code)
    if (found) return { id: found.id, name: found.name, color: null }
    return known.get(code) ?? { id: String(code), name: String(code), color: '#808080' }
  }
}

/** The entity of a deleted reason. */
function unknown(code: number): GroupEntity {
  return { id: String(code), name: String(code), color: '#808080' }
}

/** Stored codes of the reasons in a filter; an unknown id matches nothing. null: no filter. */
export function reasonCodes(ids: readonly string[] | undefined, reasons: readonly Reason[]): readonly number[] | null {
  const ofRecords = reasons.map(({ id }) => [String(id), id] as const)
  const codes = new Map([...ofRecords, ...[...virtual].map(([code, { id }]) => [id, code] as const)])
  return ids ? ids.flatMap(id => codes.get(id) ?? []) : null
}

/** Reads native codes of a company by their ids. */
export async function readNativeCodes(
  companyRef: CompanyRef,
  ids: readonly number[],
  { store, options }: QueryContext,
): Promise<readonly NativeCode[]> {
  if (ids.length === 0) return []
  const ofIds = from(nativeCodes, companyRef, { where: [sql`id IN ${array(int32, ids)}`] })
  const shape = { nativeCode: storedText, message: storedText, level: levelCodes.kind, id: narrow }
  return rows(store, sql`SELECT code AS nativeCode, message, level, id ${ofIds}`, shape, options)
}

/** Finds native codes by their ids. */
export function nativeCodeResolver(natives: readonly NativeCode[]): EntityResolver {
  const known = new Map(natives.map(native => [native.id, native]))
  const textsOf = ({ id }: GroupEntity): readonly [nativeCode: string, message: string, state: string] => {
    const native = known.get(Number(id))
    return [native?.nativeCode ?? '', native?.message ?? '', native?.level ?? '']
  }
  return {
    key: 'nativeCode',
    find: (_, id) => {
      const native = typeof id === 'number' ? known.get(id) : undefined
      return native ? [{ id: String(native.id), name: native.nativeCode }] : []
    },
    order: textsOf,
    shown: entity => {
      const [nativeCode, message, state] = textsOf(entity)
      return { id: Number(entity.id), nativeCode, message, state }
    },
  }
}
