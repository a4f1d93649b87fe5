import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import { SortedByMachine, byText } from './sorted-by-machine.ts'

/** Records with a time, sorted per machine. */
export class MachineHistories {
  readonly jobRun = new SortedByMachine<JobRunRecord>(
    (a, b) => byText(a.startAt, b.startAt) || a.startSequence - b.startSequence,
  )
  readonly operatorRun = new SortedByMachine<OperatorRunRecord>(byStart)
  readonly annotation = new SortedByMachine<AnnotationRecord>(byStart)
  readonly partAdjustment = new SortedByMachine<PartAdjustmentRecord>(
    (a, b) => byText(a.adjustmentTime, b.adjustmentTime) || byText(a.id, b.id),
  )
}

interface Starting {
  readonly id: string
  readonly startAt: string
}

function byStart(a: Starting, b: Starting): number {
  return byText(a.startAt, b.startAt) || byText(a.id, b.id)
}
