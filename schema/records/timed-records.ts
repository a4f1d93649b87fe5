import type { AnnotationRecord } from './annotation.ts'
import type { JobRunRecord } from './job-run.ts'
import type { OperatorRunRecord } from './operator-run.ts'
import type { PartAdjustmentRecord } from './part-adjustment.ts'

/** Time of one machine, [fromMs, toMs), UTC ms. */
export interface MachineSpan {
  readonly machineId: string
  readonly fromMs: number
  readonly toMs: number
}

/** Records with a time of one machine, sorted by start. */
export interface TimedRecords {
  /** By start, then start sequence. */
  readonly jobRuns: readonly JobRunRecord[]
  readonly operatorRuns: readonly OperatorRunRecord[]
  readonly annotations: readonly AnnotationRecord[]
  readonly partAdjustments: readonly PartAdjustmentRecord[]
}
