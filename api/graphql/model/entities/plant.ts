import { float64, sql } from '../../../../clickhouse/sql/sql.ts'
import type { Thresholds } from '../../../../schema/records/thresholds.ts'
import {
  boolColumn,
  type Column,
  type Entity,
  hiddenColumn,
  instantColumn,
  instantColumnOrNull,
  intColumn,
  toMany,
  numericColumn,
  numericColumnOrNull,
  toOne,
  textColumn,
  textColumnOrNull,
  uuidColumn,
} from '../entity.ts'
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
    companyId: textColumn(sql`id`),
    name: textColumn(sql`JSONExtractString(json, 'settings', 'companyName')`),
    timeZone: textColumn(sql`JSONExtractString(json, 'settings', 'timeZone')`, 'IANA name'),
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
    machineId: uuidColumn(sql`id`),
    machineRef: intColumn(sql`ref`, 'Unique in the installation'),
    name: textColumn(textIn(sql`'name'`)),
    make: textColumnOrNull(textOrNullIn(sql`'make'`)),
    model: textColumnOrNull(textOrNullIn(sql`'model'`)),
    erpMachineId: textColumnOrNull(textOrNullIn(sql`'erpMachineId'`)),
    scheduleId: textColumnOrNull(textOrNullIn(sql`'scheduleId'`)),
    createdAt: instantColumn(sql`ifNull(${instantIn(sql`'createdAt'`)}, 0)`),
    commissionedAt: instantColumnOrNull(instantIn(sql`'commissionedAt'`)),
    decommissionedAt: instantColumnOrNull(instantIn(sql`'decommissionedAt'`)),
    utilizationWarningPercent: numericColumn(
      percentOf('utilizationWarning'),
      'Threshold of the machine; default: threshold of the company',
    ),
    utilizationFailurePercent: numericColumn(
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
  columns: { machineGroupId: textColumn(sql`id`), name: textColumn(textIn(sql`'name'`)) },
  relations: { machines: toMany('machinesOfGroups', ['machineGroupId', 'groupId']) },
  reads: sourceReads('machineGroup'),
  source: recordsOf('machineGroup'),
}

const groupIds = sql`JSONExtract(json, 'machineGroupIds', 'Array(String)')`

/** Machines, with one row for each machine and each of its groups. */
export const machinesOfGroups: Entity = {
  ...machines,
  columns: { ...machines.columns, groupId: hiddenColumn(textColumn(sql`group_id`)) },
  source: (scope, where, needed) => {
    const unfolded = sql`SELECT id, ref, json, arrayJoin(${groupIds}) AS group_id ${machineSource(scope, [], needed)}`
    return fromSelect(unfolded, where)
  },
}

/** Groups of machines, with one row for each group and each of its machines. */
export const groupsOfMachines = groupsOf('machine', uuidColumn(sql`member_id`))

/** Groups of machines, with one row for each group and each downtime reason that names it. */
export const groupsOfReasons = groupsOf('downtimeReason', intColumn(sql`toInt64OrZero(member_id)`))

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
    operationId: textColumn(sql`id`),
    name: textColumn(
      sql`arrayStringConcat(arrayFilter(part -> part != '', [${textIn(sql`'jobName'`)}, ${textIn(sql`'lotName'`)},
        ${textIn(sql`'operationName'`)}, ${textIn(sql`'partName'`)}]), ' / ')`,
    ),
    jobName: textColumn(textIn(sql`'jobName'`)),
    lotName: textColumn(textIn(sql`'lotName'`)),
    operationName: textColumn(textIn(sql`'operationName'`)),
    partName: textColumn(textIn(sql`'partName'`)),
    description: textColumnOrNull(textOrNullIn(sql`'description'`)),
    dueAt: instantColumnOrNull(instantIn(sql`'dueAt'`)),
    partValue: numericColumnOrNull(numberIn(sql`'partValue'`)),
    quantityRequired: numericColumnOrNull(numberIn(sql`'quantityRequired'`)),
    expectedSetupTime: numericColumnOrNull(numberIn(sql`'expectedSetupTime'`), 'Seconds'),
    idealPartTime: numericColumnOrNull(numberIn(sql`'idealPartTime'`), 'Milliseconds per part'),
    expectedPartTime: numericColumnOrNull(numberIn(sql`'expectedPartTime'`), 'Milliseconds per part'),
    partCountMultiplier: numericColumnOrNull(numberIn(sql`'partCountMultiplier'`)),
    archivedAt: instantColumnOrNull(instantIn(sql`'archivedAt'`)),
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
  columns: { operatorId: textColumn(sql`id`), name: textColumn(textIn(sql`'name'`)) },
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
    annotationTypeId: intColumn(sql`toInt64OrZero(id)`),
    name: textColumn(textIn(sql`'name'`)),
    color: textColumn(textIn(sql`'color'`)),
    planned: boolColumn(sql`JSONExtractBool(json, 'planned')`),
    hidden: boolColumn(sql`JSONExtractBool(json, 'hidden')`),
    group: textColumnOrNull(textOrNullIn(sql`'group'`), 'Name of the group of reasons'),
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
    rejectReasonId: intColumn(sql`toInt64OrZero(id)`),
    name: textColumn(textIn(sql`'name'`)),
    color: textColumn(textIn(sql`'color'`)),
    correction: boolColumn(sql`JSONExtractBool(json, 'correction')`),
    scrap: boolColumn(sql`JSONExtractBool(json, 'scrap')`),
    rejectBehavior: textColumn(textIn(sql`'rejectBehavior'`), 'operator, scrap or nonconform'),
    hidden: boolColumn(sql`JSONExtractBool(json, 'hidden')`),
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
