import type { Category, Sample } from './sample.ts'
import type { Status } from './document.ts'
import type { CompanyRef, MachineRef } from './refs.ts'

/** Topics of the log. Only `samples` is public: any key, any partitioner. */
export const topics = {
  samples: 'samples.v1',
  stateSamples: 'state-samples.v1',
  live: 'live.v1',
  deadLetters: 'deadletters.v1',
  commands: 'commands.v1',
  records: 'records.v1',
} as const

/** Name of a topic in the log. */
export type Topic = (typeof topics)[keyof typeof topics]

/** Consumer groups in the log. */
export const groups = { ingest: 'takt-ingest', process: 'takt-process', registrar: 'takt-registrar' } as const

/** One sample as a sender writes it; properties that the type does not name are ignored. */
export interface WireSample {
  readonly machineId: string
  readonly timestamp: string
  readonly key: string
  readonly type: string
  readonly subtype?: string
  readonly value: string | number
  readonly category?: Category
  readonly nativeCode?: string
  readonly nativeSeverity?: string
  readonly qualifier?: string
  readonly message?: string
  readonly instanceId?: number
  readonly sequence?: number
}

/** A record of samples.v1 is a `WireSample` or a gateway's batch; a batch's samples need no machineId of their own. */
export interface WireBatch {
  readonly machineId: string
  readonly samples: readonly (Omit<WireSample, 'machineId'> & { readonly machineId?: string })[]
}

/**
 * A record of state-samples.v1 (JSON), for machines of one partition (`stateSamplesPartition`). Unchanged values are
 * sent, too: the samples of a machine may come through several partitions.
 */
export interface StateSamplesMessage {
  /** Samples that decide state, about 2 % of all. */
  readonly samples: readonly Sample[]
  /** [machine ref, first ms, last ms] of every machine and UTC minute in the batch. */
  readonly seen: readonly (readonly [MachineRef, number, number])[]
  /**
   * Ingest of this samples partition has applied records up to this offset: the samples that it forwards from here on
   * come after them.
   */
  readonly marker?: { readonly samplesPartition: number; readonly recordsOffset: number }
}

/** The partition of state samples that a machine belongs to. */
export function stateSamplesPartition(machineRef: MachineRef, partitions: number): number {
  return (Math.imul(machineRef, 0x9e3779b1) >>> 0) % partitions
}

/**
 * A record of live.v1. Values are compact samples; all else is JSON, whose first member is `kind`, so that a reader of one kind need not parse
 * the others.
 */
export type LiveMessage =
  | { readonly kind: 'values'; readonly samples: readonly Sample[] }
  | { readonly kind: 'status'; readonly statuses: readonly LiveStatus[] }
  | ({ readonly kind: 'progress' } & Progress)
  /** Documents of these machines have come into the store. */
  | { readonly kind: 'documents'; readonly machines: readonly MachineRef[] }
  /** Ids of alarms of these machines have come into the store. */
  | { readonly kind: 'alarmIds'; readonly machines: readonly MachineRef[] }
  | { readonly kind: 'faults'; readonly source: string; readonly faults: readonly MachineFault[] }
  | ({ readonly kind: 'history' } & SimulatedHistory)

/** How far the history of the simulated plant is generated, UTC ms: from `fromMs` up to now, its samples before `sentMs` were sent. */
export interface SimulatedHistory {
  readonly fromMs: number
  readonly sentMs: number
  readonly isComplete: boolean
}

/** Kind of a live message. */
export type LiveKind = LiveMessage['kind']

/** Codes of what is wrong with the samples of a machine. */
export type MachineFaultCode =
  | 'clock_ahead'
  | 'clock_behind'
  | 'no_execution'
  | 'sequence_reused'
  | 'too_many_conditions'
  | 'too_many_keys'
  | 'unknown_execution_value'
  | 'unreadable_counter'

/** A fault as one process (`source`) has counted it since its start. */
export interface MachineFault {
  /** `ref` of the machine. */
  readonly machineRef: MachineRef
  readonly code: MachineFaultCode
  /** Message about the last sample. */
  readonly message: string
  /** Key of the last sample; null or missing if the fault concerns no key. */
  readonly key?: string | null
  /** When it was met first and last, UTC ms. */
  readonly sinceMs: number
  readonly lastMs: number
  /** Number of samples. */
  readonly count: number
}

export interface LiveStatus {
  readonly machineRef: MachineRef
  readonly status: Status
  /** When the status began, UTC ms. */
  readonly sinceMs: number
  readonly faults: readonly {
    readonly key: string
    readonly type: string
    readonly value: string
    readonly message: string
    readonly atMs: number
  }[]
}

/** How far the processor of a partition of state samples is: sent at least every second, and at once when it becomes idle. */
export interface Progress {
  readonly partition: number
  /**
   * Next offset of state-samples.v1 that it has to take; the samples before it are in the documents or in `dirtyHours`.
   */
  readonly nextOffset: number
  /** Every state sample before this offset is in the documents, as far as its hour is under way or just over. */
  readonly liveOffset: number
  /** Machine-hours still to be recomputed, and alarm instances still to be given an id. */
  readonly dirtyHours: number
  /** Machine-hours among `dirtyHours` that are under way or just over. */
  readonly liveDirtyHours: number
  /** Days of machines that reports read from hours until they are rebuilt. */
  readonly staleDays: number
  /** Rebuilds that it has begun and not yet reported as done. */
  readonly rebuilds: readonly RebuildProgress[]
  /** Every record up to this offset of records.v1 is known to it and in `dirtyHours` or in the documents. */
  readonly recordsOffset: number
}

/** How far a partition is with a rebuild, in machine-hours. */
export interface RebuildProgress {
  readonly id: string
  readonly totalHours: number
  readonly leftHours: number
}

/** Reason of the rejection of a sample or record. */
export type DeadLetterReason =
  | 'invalid_json'
  | 'invalid_sample'
  | 'name_too_long'
  | 'unknown_machine'
  | 'future_timestamp'
  | 'past_timestamp'
  | 'too_many_keys'
  | 'too_many_conditions'
  | 'refused_by_store'
  | 'undecodable_record'

/** Header of a record of samples.v1 that is a dead letter sent again: where it is refused, its dead letter is there already. */
export const replayHeader = 'takt-replay'

/** A record of deadletters.v1 (JSON): the rejected input, the reason, and its position in the log. */
export interface DeadLetter {
  readonly reason: DeadLetterReason
  readonly message: string
  /** The record's or the sample's own JSON text, for replay; of a damaged compact record its bytes as base64; empty: the record could not be decoded. */
  readonly value: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** When the record was appended to the log: its age is judged by that. */
  readonly appendedAtMs: number
  /**
   * `ref` of the company whose key sent it, for a sample that came over HTTP: on replay only a machine of that company
   * may take it.
   */
  readonly companyRef?: CompanyRef
}
