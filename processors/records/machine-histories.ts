import type { RunPosition } from '../../schema/commands/stored-records.ts'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RecordKind, RecordKinds } from '../../schema/records/record-kinds.ts'
import { type TimedKindName, timedKindNames } from '../../schema/records/timed-records.ts'
import { firstIndex, SortedByMachine } from './sorted-by-machine.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/** Records with a time, sorted per machine. */
export class MachineHistories {
  readonly jobRun = new SortedByMachine<JobRunRecord>(compareRuns)
  readonly operatorRun = new SortedByMachine<OperatorRunRecord>(byStart)
  readonly annotation = new SortedByMachine<AnnotationRecord>(byStart)
  readonly partAdjustment = new SortedByMachine<PartAdjustmentRecord>(
    (a, b) => compareTexts(a.adjustmentTime, b.adjustmentTime) || compareTexts(a.id, b.id),
  )

  /** Number of records. */
  get size(): number {
    return timedKindNames.reduce((sum, kind) => sum + this[kind].size, 0)
  }

  /** Returns a machine's records of a kind that start before an instant (ISO text), by start. */
  before(kind: TimedKindName, machineId: string, instant: string): readonly TimedRecord[] {
    const records: readonly TimedRecord[] = this[kind].of(machineId)
    return records.slice(
      0,
      firstIndex(records, record => startAtOf(record) < instant),
    )
  }

  /** Returns the starts of all records, in no order. */
  *starts(): Generator<string, void> {
    for (const kind of timedKindNames) for (const record of this[kind].all()) yield startAtOf(record)
  }
}

export type TimedRecord = RecordKinds[TimedKindName]

export function isTimedKind(kind: RecordKind): kind is TimedKindName {
  return timedKindNames.some(timed => timed === kind)
}

/** Returns the start of a record with a time, as ISO text. */
export function startAtOf(record: TimedRecord): string {
  return 'adjustmentTime' in record ? record.adjustmentTime : record.startAt
}

/** Compares runs of a machine by start, then by the order of their commands. */
export function compareRuns(a: RunPosition, b: RunPosition): number {
  return compareTexts(a.startAt, b.startAt) || a.startSequence - b.startSequence
}

interface Starting {
  readonly id: string
  readonly startAt: string
}

function byStart(a: Starting, b: Starting): number {
  return compareTexts(a.startAt, b.startAt) || compareTexts(a.id, b.id)
}
