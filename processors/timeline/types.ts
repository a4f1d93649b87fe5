import type { CalendarSpan } from '../calendar/types.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import type { ScheduledBy } from '../../schema/records/company.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** Inputs of a machine's documents that do not depend on records with a time, resolved from the records. */
export interface MachineParameters {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  readonly settings: StateSettings
  /**
   * Time outside [fromMs, toMs) is ignored. `fromMs` null: from the machine's creation or its first sample, whichever
   * is earlier.
   */
  readonly commissioned: { readonly fromMs: number | null; readonly createdMs: number; readonly toMs: number | null }
  readonly scheduledBy: ScheduledBy
  readonly autoProduction: boolean
  /** Returns contiguous spans that cover [fromMs, toMs), cut at every local hour and start of day. */
  readonly calendar: (fromMs: number, toMs: number) => readonly CalendarSpan[]
}

/** Inputs of a machine's documents in a span, resolved from records with a time. Arrays are sorted by start. */
export interface TimedInputs {
  readonly runs: readonly RunSpan[]
  readonly operators: readonly OperatorSpan[]
  readonly annotations: readonly AnnotationSpan[]
  readonly adjustments: readonly Adjustment[]
}

/** Inputs of a machine's documents besides samples, for the hours in a span. */
export interface MachineInputs extends MachineParameters, TimedInputs {}

/** Effective time of a job run, which ends at the latest when the machine's next run starts. */
export interface RunSpan {
  readonly run: number
  readonly startMs: number
  /** Infinity while the run is open. */
  readonly endMs: number
  readonly startInSetup: boolean
  /** When production was reported, UTC ms; null if never. */
  readonly productionMs: number | null
}

export interface OperatorSpan {
  readonly operator: number
  readonly startMs: number
  readonly endMs: number
}

export interface AnnotationSpan {
  readonly reason: number
  readonly startMs: number
  /** Infinity while the annotation is open. */
  readonly endMs: number
}

export interface Adjustment {
  readonly atMs: number
  readonly count: number
  readonly scrap: number
  readonly nonconform: number
  readonly type: number
}

/**
 * Result of one hour: its document, and the state from which the next hour is computed (also serialized in the
 * document).
 */
export interface HourResult<State> {
  readonly document: HourDocument
  readonly stateOut: State
  /** Number of samples of the hour that were skipped because they raise conditions beyond `conditionLimits`. */
  readonly skippedSamples: number
}
