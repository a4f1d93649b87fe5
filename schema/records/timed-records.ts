import { dayMs } from '../../shared/time/units.ts'
import type { AnnotationRecord } from './annotation.ts'
import type { JobRunRecord } from './job-run.ts'
import type { OperatorRunRecord } from './operator-run.ts'
import type { PartAdjustmentRecord } from './part-adjustment.ts'

/** Length of the intervals since 1970 by which the store sorts the records with a time, ms: 30 days. */
export const recordIntervalMs = 30 * dayMs

/** Kinds of records with a time. */
export const timedKindNames = ['jobRun', 'operatorRun', 'annotation', 'partAdjustment'] as const
export type TimedKindName = (typeof timedKindNames)[number]

/** Time of one machine, [fromMs, toMs), UTC ms. */
export interface MachineSpan {
  readonly machineId: string
  readonly fromMs: number
  readonly toMs: number
}

/** An instant of a machine, UTC ms. */
export interface MachineInstant {
  readonly machineId: string
  readonly atMs: number
}

/** Records with a time of one machine, sorted by start. */
export interface TimedRecords {
  /** By start, then start sequence. */
  readonly jobRuns: readonly JobRunRecord[]
  readonly operatorRuns: readonly OperatorRunRecord[]
  readonly annotations: readonly AnnotationRecord[]
  readonly partAdjustments: readonly PartAdjustmentRecord[]
}

/** Records to which the records with a time of some machines refer, and the other job operations. */
export interface UseElsewhere {
  readonly operatorIds: ReadonlySet<string>
  readonly machineGroupIds: ReadonlySet<string>
  readonly reasonIds: ReadonlySet<number>
  readonly categoryIds: ReadonlySet<number>
}

/** Records of which the first and the last start are read. */
export type StartsFilter =
  /** Job runs that start in setup. */
  | { readonly kind: 'setupRuns' }
  /** Sign-ins that are open, or last longer than this time, ms. */
  | { readonly kind: 'longSignIns'; readonly longerThanMs: number }
  /** Part adjustments of a type. */
  | { readonly kind: 'adjustments'; readonly categoryId: number }

/** First and last start of records of a machine, UTC ms. */
export interface MachineStarts {
  readonly machineId: string
  readonly firstMs: number
  readonly lastMs: number
}
