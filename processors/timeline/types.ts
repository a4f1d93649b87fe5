import type { CalendarSpan } from '../calendar/types.ts'
import type { StateSettings } from '../../schema/records/machine.ts'
import type { ScheduledBy } from '../../schema/records/company.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** Everything but samples that a machine's documents are made from, resolved from the records. Lists are sorted by start. */
export interface MachineInputs {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  readonly settings: StateSettings
  /** Nothing outside [fromMs, toMs) counts. `fromMs` null: from the earlier of the machine's creation and its first sample. */
  readonly commissioned: { readonly fromMs: number | null; readonly createdMs: number; readonly toMs: number | null }
  readonly scheduledBy: ScheduledBy
  readonly autoProduction: boolean
  /** Contiguous spans that cover [fromMs, toMs) exactly, cut at every local hour and start of day. */
  readonly calendar: (fromMs: number, toMs: number) => readonly CalendarSpan[]
  /** Without overlap. */
  readonly runs: readonly RunSpan[]
  readonly operators: readonly OperatorSpan[]
  /** Without overlap. */
  readonly annotations: readonly AnnotationSpan[]
  readonly adjustments: readonly Adjustment[]
}

/** A job run as it counts: cut by the machine's next run. */
export interface RunSpan {
  readonly run: number
  readonly startMs: number
  /** Infinity while it is open. */
  readonly endMs: number
  readonly startInSetup: boolean
  /** When it was told to go to production; null: never. */
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
  /** Infinity while it is open. */
  readonly endMs: number
}

export interface Adjustment {
  readonly atMs: number
  readonly count: number
  readonly scrap: number
  readonly nonconform: number
  readonly type: number
}

/** Result of one hour: its document and the state that the next hour starts from (also serialised in the document). */
export interface HourResult<State> {
  readonly document: HourDocument
  readonly stateOut: State
  /** Samples of the hour that raise a condition beyond the bounds of a machine (`conditionLimits`). */
  readonly passedOver: number
}
