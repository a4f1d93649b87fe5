import type { Sample } from '../../../schema/sample.ts'
import type { LiveMetric } from '../values/metrics.ts'
import type { Documented } from './synthesized.ts'
import type { CompanyRef, MachineRef } from '../../../schema/refs.ts'

/** A machine and a time range, [fromMs, toMs); toMs may be Infinity. */
export interface MachineRange {
  readonly companyRef: CompanyRef
  readonly machineRef: MachineRef
  readonly fromMs: number
  readonly toMs: number
  /** UTC ms. Documents contain nothing after it. */
  readonly nowMs: number
}

export type Observation = Pick<Sample, 'atUs' | 'key' | 'type' | 'subtype' | 'value'>

/** The history of machines for the timeline: samples and documents. */
export interface TimelineHistory {
  /** Samples of these metrics, each once, by time; at most `limit`. */
  samples(
    range: MachineRange,
    metrics: readonly Pick<LiveMetric, 'key' | 'type' | 'subtype'>[],
    limit: number,
  ): Promise<readonly Observation[]>
  documented(range: MachineRange): Promise<Documented>
  /**
   * Resolves to true when samples that were published before now can be read and the latest values include them; to
   * false after a time limit, or if this is unknown.
   */
  caughtUp(): Promise<boolean>
}
