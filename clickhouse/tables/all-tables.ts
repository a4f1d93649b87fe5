import * as alarms from './alarms.ts'
import * as documents from './documents.ts'
import * as exports from './exports.ts'
import * as recordKinds from './record-kinds.ts'
import * as records from './records.ts'
import * as samples from './samples.ts'
import type { Table } from './table.ts'

/** Every table of the store. */
export const allTables: readonly Table[] = [
  samples.samples,
  samples.decidingSamples,
  samples.sampleNumbers,
  samples.supersededSamples,
  samples.latestValues,
  samples.seenMinutes,
  samples.machineFirstSeen,
  documents.hours,
  documents.evenHours,
  documents.repeatedHours,
  documents.outdatedHours,
  documents.days,
  documents.dayCoverage,
  documents.staleDays,
  documents.processProgress,
  records.records,
  records.credentialsIn,
  records.annotationsIn,
  records.operatorRunsIn,
  records.partAdjustmentsIn,
  records.machineRunsIn,
  records.credentials,
  records.userEmails,
  records.keyUses,
  records.audit,
  records.jobRuns,
  recordKinds.annotationsByMachine,
  recordKinds.operatorRunsByMachine,
  recordKinds.partAdjustmentsByMachine,
  recordKinds.machineRuns,
  alarms.alarmIds,
  alarms.alarmIdsById,
  alarms.nativeCodes,
  alarms.alarmProgress,
  exports.exportRows,
  exports.exportSums,
  exports.exportNames,
]
