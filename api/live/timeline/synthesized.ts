import type { ReportedParts, Status } from '../../../schema/document.ts'
import type { TimelineSample } from '../../../schema/requests/live.ts'
import { canonicalName } from '../../../schema/sample.ts'

/** State of a machine in [startMs, endMs), UTC ms. */
export interface StateSpan {
  readonly startMs: number
  readonly endMs: number
  readonly status: Status
  readonly inCycle: boolean
}

/** Spans and parts in the documents of a machine in a time range. */
export interface Documented {
  /** By time, without overlap. */
  readonly spans: readonly StateSpan[]
  readonly parts: readonly ReportedParts[]
}

/** A key that no machine sends: its samples are derived from documents. */
export interface SynthesizedMetric {
  readonly key: string
  readonly type: string
  readonly subtype: ''
  /** Whether samples are increments that are added to the total. */
  readonly isTotal: boolean
  /** In the order of time. */
  samples(documented: Documented): readonly Pick<TimelineSample, 'value' | 'startUnixMs'>[]
}

const synthesizedMetrics: readonly SynthesizedMetric[] = [
  state('status', 'STATUS', ({ status }) => status),
  state('inCycle', 'IN_CYCLE', ({ inCycle }) => String(inCycle)),
  state('MasterExecution', 'EXECUTION', execution),
  { key: 'partCount', type: 'PART_COUNT', subtype: '', isTotal: true, samples: additions },
]

function state(key: string, type: string, valueOf: (span: StateSpan) => string): SynthesizedMetric {
  return { key, type, subtype: '', isTotal: false, samples: ({ spans }) => changes(spans, valueOf) }
}

/** The synthesized metric of a key, in any spelling. */
export function synthesizedOf(key: string): SynthesizedMetric | null {
  return synthesizedMetrics.find(metric => canonicalName(metric.key) === canonicalName(key)) ?? null
}

/** Execution of the whole machine, whatever its number of paths. */
function execution({ status, inCycle }: StateSpan): string {
  if (inCycle) return 'ACTIVE'
  return status === 'UNAVAILABLE' ? 'UNAVAILABLE' : 'STOPPED'
}

/** A sample at the start of each value; adjacent spans of one value are joined. */
function changes(spans: readonly StateSpan[], valueOf: (span: StateSpan) => string) {
  const samples: { value: string; startUnixMs: number }[] = []
  let endMs = -Infinity
  for (const span of spans) {
    const value = valueOf(span)
    if (span.startMs !== endMs || samples.at(-1)?.value !== value) samples.push({ value, startUnixMs: span.startMs })
    endMs = span.endMs
  }
  return samples
}

function additions({ parts }: Documented) {
  return parts.map(({ atMs, parts: made }) => ({ value: String(made), startUnixMs: atMs }))
}
