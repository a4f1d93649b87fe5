import type { Thresholds } from './thresholds.ts'
import type { CompanyRef, MachineRef } from '../refs.ts'

/** The standards by which the time and the parts of a job run are rated. */
export interface JobStandards {
  /** Parts per reported part. */
  readonly multiplier: number
  /** ms per part; null: the run has none. */
  readonly idealPartMs: number | null
  readonly expectedPartMs: number | null
  /** 0: unknown. */
  readonly expectedSetupMs: number
}

/** A job run with the standards that hold for it now. */
export interface JobRunStandards extends JobStandards {
  /** `ref` of the company; 0: it is gone. */
  readonly companyRef: CompanyRef
  /** `ref` of the run. */
  readonly run: number
  /** `ref` of the machine; 0: it is gone. */
  readonly machineRef: MachineRef
  /** `ref` of the job operation; 0: it is gone. */
  readonly operation: number
  /** UTC ms. */
  readonly startMs: number
  /** UTC ms; null: the run is open. */
  readonly endMs: number | null
  /** Thresholds of the job operation itself; for the others, those of the machine or of the company hold. */
  readonly thresholds: Readonly<Partial<Thresholds>>
}
