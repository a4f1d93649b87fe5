import { absentId, type EntityGrouping, groupings } from '../../../schema/groupings.ts'
import { jobOperationName } from '../../../schema/records/job-operation-name.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../../schema/records/job-run.ts'
import type { KeyName, KeyValue } from '../query/columns.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { CompanyView } from '../company/company-view.ts'
import { asMachineRef } from '../../../schema/refs.ts'

/** Something that a report groups by, as the answer's `entities` show it: with more fields of its own. */
export interface GroupEntity {
  readonly id: string
  readonly name: string
  readonly [field: string]: unknown
}

/** Groupings that only reports of events have: each such report has its own entityResolvers for them. */
type EventGrouping = 'reason' | 'nativeCode' | 'state'

/** How the rows of a report lead to the entities of a grouping. */
export interface EntityResolver {
  /** The key of a row that decides which entities are found. */
  readonly key: KeyName
  /** Finds the entities of a key value: none without such a dimension, several where groups overlap. */
  readonly find: (view: CompanyView, value: KeyValue) => readonly GroupEntity[]
  /** As in the answer's `entities`, where that isn't the entity as it is. */
  readonly shown?: (entity: GroupEntity) => object
  /** Texts that items are ordered by, where it isn't the name. */
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
      const found = view.operationByRef(ref)
      return found ? [operationEntity(found)] : []
    }),
  },
  jobOperationRun: {
    key: 'run',
    find: byRef((view, ref) => {
      const run = view.runs.get(ref)
      return run ? [runEntity(run, view.endOfRun(run))] : []
    }),
  },
}

/** Finds the operation of rows that are grouped by run. */
export const operationOfRun: EntityResolver = {
  key: 'run',
  find: byRef((view, ref) => {
    const found = view.operation(view.runs.get(ref)?.jobOperationId ?? '')
    return found ? [operationEntity(found)] : []
  }),
}

/** The entity that stands for rows without such a dimension. */
export function absentEntity(group: EntityGrouping): GroupEntity {
  return { id: absentId, name: groupings[group].absent ?? '', virtual: true }
}

function byRef(find: (view: CompanyView, ref: number) => readonly GroupEntity[]): EntityResolver['find'] {
  return (view, value) => (typeof value === 'number' && value !== 0 ? find(view, value) : [])
}

function named(record: { readonly id: string; readonly name: string } | null): GroupEntity[] {
  return record ? [{ id: record.id, name: record.name }] : []
}

function operationEntity({ id, jobName, lotName, operationName, partName }: JobOperationRecord): GroupEntity {
  const names = { jobName, lotName, operationName, partName }
  return { id, name: jobOperationName(names), ...names }
}

function runEntity({ id, jobOperationId, machineId, startAt }: JobRunRecord, endMs: number | null): GroupEntity {
  const endAt = endMs === null ? null : isoText(endMs)
  return { id, name: id, jobOperationId, machineId, startAt, endAt }
}
