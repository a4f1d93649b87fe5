import { float64, sql } from '../../../../clickhouse/sql/sql.ts'
import type { Thresholds } from '../../../../schema/records/thresholds.ts'
import { column, type Column, type Entity, hiddenColumn, toMany, toOne } from '../entity.ts'
import { sourceReads } from '../source-reads.ts'
import type { QueryScope } from '../scope.ts'
import { fromSelect, instantIn, numberIn, recordsOf, textIn, textOrNullIn } from '../sources.ts'

/** The company of the caller. */
export const company: Entity = {
  name: 'Company',
  description: 'The company of the caller',
  key: ['companyId'],
  order: ['companyId'],
  columns: {
    companyId: column.text(sql`id`),
    name: column.text(sql`JSONExtractString(json, 'settings', 'companyName')`),
    timeZone: column.text(sql`JSONExtractString(json, 'settings', 'timeZone')`, 'IANA name'),
  },
  relations: {},
  reads: sourceReads('company'),
  source: recordsOf('company'),
}

const machineSource = recordsOf('machine')

/** Machines, including decommissioned machines. */
export const machines: Entity = {
  name: 'MachineTP',
  description: 'A machine; a decommissioned machine has decommissionedAt',
  key: ['machineId'],
  order: ['machineRef'],
  columns: {
    machineId: column.uuid(sql`id`),
    machineRef: column.int(sql`ref`, 'Unique in the installation'),
    name: column.text(textIn(sql`'name'`)),
    make: column.textOrNull(textOrNullIn(sql`'make'`)),
    model: column.textOrNull(textOrNullIn(sql`'model'`)),
    erpMachineId: column.textOrNull(textOrNullIn(sql`'erpMachineId'`)),
    scheduleId: column.textOrNull(textOrNullIn(sql`'scheduleId'`)),
    createdAt: column.instant(sql`ifNull(${instantIn(sql`'createdAt'`)}, 0)`),
    commissionedAt: column.instantOrNull(instantIn(sql`'commissionedAt'`)),
    decommissionedAt: column.instantOrNull(instantIn(sql`'decommissionedAt'`)),
    utilizationWarningPercent: column.numeric(
      percentOf('utilizationWarning'),
      'Threshold of the machine; default: threshold of the company',
    ),
    utilizationFailurePercent: column.numeric(
      percentOf('utilizationFailure'),
      'Threshold of the machine; default: threshold of the company',
    ),
  },
  relations: {
    metrics: toMany('metrics', ['machineRef', 'machineRef'], 'All keys of which the machine has sent samples'),
    currentStates: toMany('currentStates', ['machineRef', 'machineRef']),
    currentAlarms: toMany('currentAlarms', ['machineRef', 'machineRef']),
    alarms: toMany('alarms', ['machineRef', 'machineRef'], 'Active and ended alarms'),
    activitySets: toMany('activitySets', ['machineId', 'machineId']),
    annotations: toMany('annotations', ['machineId', 'machineId']),
    operatorRuns: toMany('operatorRuns', ['machineId', 'machineId']),
    rejects: toMany('rejects', ['machineId', 'machineId']),
    partAdjustments: toMany('partAdjustments', ['machineId', 'machineId']),
    machineGroups: toMany('groupsOfMachines', ['machineId', 'memberId']),
    schedule: toOne('schedules', ['scheduleId', 'scheduleId'], 'null: the machine is scheduled around the clock'),
  },
  reads: sourceReads('machine', 'company'),
  source: machineSource,
}

/** Groups of machines. */
export const machineGroups: Entity = {
  name: 'MachineGroup',
  description: 'A group of machines',
  key: ['machineGroupId'],
  order: ['machineGroupId'],
  columns: { machineGroupId: column.text(sql`id`), name: column.text(textIn(sql`'name'`)) },
  relations: { machines: toMany('machinesOfGroups', ['machineGroupId', 'groupId']) },
  reads: sourceReads('machineGroup'),
  source: recordsOf('machineGroup'),
}

const groupIds = sql`JSONExtract(json, 'machineGroupIds', 'Array(String)')`

/** Machines, with one row for each machine and each of its groups. */
export const machinesOfGroups: Entity = {
  ...machines,
  columns: { ...machines.columns, groupId: hiddenColumn(column.text(sql`group_id`)) },
  source: (scope, where, needed) => {
    const unfolded = sql`SELECT id, ref, json, arrayJoin(${groupIds}) AS group_id ${machineSource(scope, [], needed)}`
    return fromSelect(unfolded, where)
  },
}

/** Groups of machines, with one row for each group and each of its machines. */
export const groupsOfMachines = groupsOf('machine', column.uuid(sql`member_id`))

/** Groups of machines, with one row for each group and each downtime reason that names it. */
export const groupsOfReasons = groupsOf('downtimeReason', column.int(sql`toInt64OrZero(member_id)`))

/** Returns groups of machines with one row for each group and each record of a kind in it; `memberId` is its id. */
function groupsOf(kind: 'machine' | 'downtimeReason', memberId: Column): Entity {
  return {
    ...machineGroups,
    columns: { ...machineGroups.columns, memberId: hiddenColumn(memberId) },
    reads: sourceReads('machineGroup', kind),
    source: (scope, where, needed) => {
      const members = sql`
        SELECT id AS member_id, arrayJoin(${groupIds}) AS group_id ${recordsOf(kind)(scope, [], needed)}`
      const groups = sql`SELECT id, json ${machineGroups.source(scope, [], needed)}`
      const joined = sql`
        SELECT g.id AS id, g.json AS json, m.member_id AS member_id
        FROM (${groups}) AS g INNER JOIN (${members}) AS m ON g.id = m.group_id`
      return fromSelect(joined, where)
    },
  }
}

/** Job operations. */
export const operations: Entity = {
  name: 'Operation',
  description:
    'A job operation; its name joins jobName, lotName, operationName and partName by " / ", without empty names',
  key: ['operationId'],
  order: ['operationId'],
  columns: {
    operationId: column.text(sql`id`),
    name: column.text(
      sql`arrayStringConcat(arrayFilter(part -> part != '', [${textIn(sql`'jobName'`)}, ${textIn(sql`'lotName'`)},
        ${textIn(sql`'operationName'`)}, ${textIn(sql`'partName'`)}]), ' / ')`,
    ),
    jobName: column.text(textIn(sql`'jobName'`)),
    lotName: column.text(textIn(sql`'lotName'`)),
    operationName: column.text(textIn(sql`'operationName'`)),
    partName: column.text(textIn(sql`'partName'`)),
    description: column.textOrNull(textOrNullIn(sql`'description'`)),
    dueAt: column.instantOrNull(instantIn(sql`'dueAt'`)),
    partValue: column.numericOrNull(numberIn(sql`'partValue'`)),
    quantityRequired: column.numericOrNull(numberIn(sql`'quantityRequired'`)),
    expectedSetupTime: column.numericOrNull(numberIn(sql`'expectedSetupTime'`), 'Seconds'),
    idealPartTime: column.numericOrNull(numberIn(sql`'idealPartTime'`), 'Milliseconds per part'),
    expectedPartTime: column.numericOrNull(numberIn(sql`'expectedPartTime'`), 'Milliseconds per part'),
    partCountMultiplier: column.numericOrNull(numberIn(sql`'partCountMultiplier'`)),
    archivedAt: column.instantOrNull(instantIn(sql`'archivedAt'`)),
  },
  relations: { activitySets: toMany('activitySets', ['operationId', 'operationId'], 'Runs of the operation') },
  reads: sourceReads('jobOperation'),
  source: recordsOf('jobOperation'),
}

/** Operators. */
export const operators: Entity = {
  name: 'Operator',
  description: 'An operator',
  key: ['operatorId'],
  order: ['operatorId'],
  columns: { operatorId: column.text(sql`id`), name: column.text(textIn(sql`'name'`)) },
  relations: { operatorRuns: toMany('operatorRuns', ['operatorId', 'operatorId']) },
  reads: sourceReads('operator'),
  source: recordsOf('operator'),
}

/** Downtime reasons. */
export const annotationTypes: Entity = {
  name: 'AnnotationType',
  description: 'A downtime reason',
  key: ['annotationTypeId'],
  order: ['annotationTypeId'],
  columns: {
    annotationTypeId: column.int(sql`toInt64OrZero(id)`),
    name: column.text(textIn(sql`'name'`)),
    color: column.text(textIn(sql`'color'`)),
    planned: column.bool(sql`JSONExtractBool(json, 'planned')`),
    hidden: column.bool(sql`JSONExtractBool(json, 'hidden')`),
    group: column.textOrNull(textOrNullIn(sql`'group'`), 'Name of the group of reasons'),
  },
  relations: {
    annotations: toMany('annotations', ['annotationTypeId', 'annotationTypeId']),
    machineGroups: toMany(
      'groupsOfReasons',
      ['annotationTypeId', 'memberId'],
      'Groups for whose machines screens offer the reason; empty: all machines',
    ),
  },
  reads: sourceReads('downtimeReason'),
  source: recordsOf('downtimeReason'),
}

/** Part adjustment types. */
export const rejectReasons: Entity = {
  name: 'RejectReason',
  description: 'A part adjustment type',
  key: ['rejectReasonId'],
  order: ['rejectReasonId'],
  columns: {
    rejectReasonId: column.int(sql`toInt64OrZero(id)`),
    name: column.text(textIn(sql`'name'`)),
    color: column.text(textIn(sql`'color'`)),
    correction: column.bool(sql`JSONExtractBool(json, 'correction')`),
    scrap: column.bool(sql`JSONExtractBool(json, 'scrap')`),
    rejectBehavior: column.text(textIn(sql`'rejectBehavior'`), 'operator, scrap or nonconform'),
    hidden: column.bool(sql`JSONExtractBool(json, 'hidden')`),
  },
  relations: {
    rejects: toMany('rejects', ['rejectReasonId', 'rejectReasonId']),
    partAdjustments: toMany('partAdjustments', ['rejectReasonId', 'rejectReasonId']),
  },
  reads: sourceReads('partAdjustmentType'),
  source: recordsOf('partAdjustmentType'),
}

/** SQL of a utilization threshold of a machine, in percent. */
function percentOf(name: keyof Thresholds) {
  const own = { utilizationWarning: sql`'utilizationWarning'`, utilizationFailure: sql`'utilizationFailure'` }
  const path = name === 'utilizationWarning' ? own.utilizationWarning : own.utilizationFailure
  return ({ settings }: QueryScope) => {
    const ofMachine = sql`JSONExtract(json, 'thresholds', ${path}, 'Nullable(Float64)')`
    return sql`round(ifNull(${ofMachine}, ${float64(settings.thresholds[name])}) * 100, 6)`
  }
}
