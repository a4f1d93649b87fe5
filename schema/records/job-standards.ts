import type { Thresholds } from './thresholds.ts'
import type { CompanyRef, MachineRef } from '../refs.ts'

/** Standards by which time and parts of a job run are rated. */
export interface JobStandards {
  /** Parts per reported part. */
  readonly multiplier: number
  /** Ideal time of a part, ms; null if the run has none. */
  readonly idealPartMs: number | null
  readonly expectedPartMs: number | null
  /** 0 if unknown. */
  readonly expectedSetupMs: number
}

/** A job run with the standards that currently apply to it. */
export interface JobRunStandards extends JobStandards {
  /** `ref` of the company; 0 if it was deleted. */
  readonly companyRef: CompanyRef
  /** `ref` of the run. */
  readonly run: number
  readonly id: string
  /** `ref` of the machine; 0 if it was deleted. */
  readonly machineRef: MachineRef
  /** `ref` of the job operation; 0 if it was deleted. */
  readonly operation: number
  /** UTC ms. */
  readonly startMs: number
  /** End as reported, UTC ms; null: none was reported. */
  readonly endMs: number | null
  /** Effective end, UTC ms: at the latest the start of the next run on the machine; null while the run is open. */
  readonly untilMs: number | null
  readonly isDeleted: boolean
  /** Thresholds of the job operation. Missing thresholds are those of the machine or of the company. */
  readonly thresholds: Readonly<Partial<Thresholds>>
}

/** A stored run without the standards that apply to it. */
export type StoredRun = Pick<
  JobRunStandards,
  'companyRef' | 'run' | 'id' | 'machineRef' | 'operation' | 'startMs' | 'endMs' | 'untilMs'
>

/** Job runs of a company, by what they have in common. */
export interface RunsOf {
  /** Refs of job operations. */
  readonly operations: readonly number[]
  /** Ids of machines. */
  readonly machineIds: readonly string[]
}
