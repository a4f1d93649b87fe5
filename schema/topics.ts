import type { ConnectorHealth } from './connector-health.ts'
import type { Category, Sample } from './sample.ts'
import type { Status } from './document.ts'
import type { CompanyRef, MachineRef } from './refs.ts'

/** Topics of the log. Only `samples` is public: other producers may write to it, with any key and partitioner. */
export const topics = {
  samples: 'samples.v1',
  stateSamples: 'state-samples.v1',
  live: 'live.v1',
  deadLetters: 'deadletters.v1',
  commands: 'commands.v1',
  records: 'records.v1',
  connectorPositions: 'connector-positions.v1',
} as const

/** Name of a topic in the log. */
export type Topic = (typeof topics)[keyof typeof topics]

/** Consumer groups in the log. */
export const groups = {
  ingest: 'takt-ingest',
  process: 'takt-process',
  registrar: 'takt-registrar',
  connect: 'takt-connect',
} as const

/** One sample in the senders' format; properties that the type does not name are ignored. */
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

/**
 * A gateway's batch of samples. A record of samples.v1 is a `WireSample` or a `WireBatch`; samples in a batch need no
 * `machineId`.
 */
export interface WireBatch {
  readonly machineId: string
  readonly samples: readonly (Omit<WireSample, 'machineId'> & { readonly machineId?: string })[]
}

/**
 * A record of state-samples.v1 (JSON), for the machines of one partition (`stateSamplesPartition`). Unchanged values
 * are included, because samples of one machine may arrive through several partitions of samples.v1.
 */
export interface StateSamplesMessage {
  /** State samples, about 2 % of all samples. */
  readonly samples: readonly Sample[]
  /** [machine ref, first ms, last ms] for every machine and UTC minute with samples in the batch. */
  readonly seen: readonly (readonly [MachineRef, number, number])[]
  /** Whether the minutes are of heartbeats; absent: no. */
  readonly areHeartbeats?: boolean
  /**
   * The ingest of this samples partition has applied records.v1 up to this offset; all samples that it forwards later
   * take these records into account.
   */
  readonly marker?: { readonly samplesPartition: number; readonly recordsOffset: number }
}

/** Returns the partition of state-samples.v1 to which a machine belongs. */
export function stateSamplesPartition(machineRef: MachineRef, partitions: number): number {
  return (Math.imul(machineRef, 0x9e3779b1) >>> 0) % partitions
}

/**
 * A record of live.v1. Values are compact samples. Other kinds are JSON with `kind` as first member, so that readers
 * parse only the kinds that they need.
 */
export type LiveMessage =
  | { readonly kind: 'values'; readonly samples: readonly Sample[] }
  | { readonly kind: 'status'; readonly statuses: readonly LiveStatus[] }
  | ({ readonly kind: 'progress' } & Progress)
  /** New documents of these machines are in the store. */
  | { readonly kind: 'documents'; readonly machines: readonly MachineRef[] }
  /** New alarm ids of these machines are in the store. */
  | { readonly kind: 'alarmIds'; readonly machines: readonly MachineRef[] }
  | { readonly kind: 'faults'; readonly source: string; readonly faults: readonly SampleIssue[] }
  | ({ readonly kind: 'history' } & SimulatedHistory)
  | ({ readonly kind: 'process' } & RunningProcess)
  | { readonly kind: 'connectors'; readonly connectors: readonly HealthOfConnector[] }

/** A process that works with log and store. Each process publishes it every few seconds if several share the log. */
export interface RunningProcess {
  /** UUID, generated at the start of the process. */
  readonly id: string
  readonly version: string
  readonly roles: readonly string[]
  /** Number of the newest migration that the process knows. */
  readonly newestMigration: number
}

/** Health of a connector of any company. */
export interface HealthOfConnector {
  readonly companyRef: CompanyRef
  readonly connectorId: string
  readonly health: ConnectorHealth
}

/**
 * Progress of the simulated history, UTC ms: it covers the time from `fromMs` until now, and samples before `sentMs`
 * have been sent.
 */
export interface SimulatedHistory {
  readonly fromMs: number
  readonly sentMs: number
  readonly isComplete: boolean
}

/** Kind of a live message. */
export type LiveKind = LiveMessage['kind']

/** Codes of issues of a machine's samples. */
export type SampleIssueCode =
  | 'clock_ahead'
  | 'clock_behind'
  | 'no_execution'
  | 'sequence_reused'
  | 'too_many_conditions'
  | 'too_many_keys'
  | 'unknown_execution_value'
  | 'unreadable_counter'

/** Issue of a machine's samples, as counted by one process (`source`) since its start. */
export interface SampleIssue {
  readonly machineRef: MachineRef
  readonly code: SampleIssueCode
  /** Message about the last sample. */
  readonly message: string
  /** Key of the last sample; null or missing if the issue concerns no key. */
  readonly key?: string | null
  /** When the issue was first and last detected, UTC ms. */
  readonly sinceMs: number
  readonly lastMs: number
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

/**
 * Progress of the processor of one partition of state samples, published at least every second, and immediately when
 * the processor becomes idle.
 */
export interface Progress {
  readonly partition: number
  /** Next offset of state-samples.v1 to consume; earlier samples are in the documents or counted in `dirtyHours`. */
  readonly nextOffset: number
  /** The documents of hours that are in progress or just ended contain every state sample before this offset. */
  readonly liveOffset: number
  /** Machine-hours to recompute, plus alarm instances without an id. */
  readonly dirtyHours: number
  /** Part of `dirtyHours` that is in progress or just ended. */
  readonly liveDirtyHours: number
  /** Time of the oldest change of records or of older hours that the live hours lack, UTC ms; null if there is none. */
  readonly liveSinceMs: number | null
  /** Days of machines with a stale mark: reports read their hours until the day documents are rebuilt. */
  readonly staleDays: number
  readonly rebuilds: readonly RebuildProgress[]
  /** All changes up to this offset of records.v1 are in the documents or counted in `dirtyHours`. */
  readonly recordsOffset: number
}

/** Progress of a rebuild on one partition, in machine-hours. */
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

/**
 * Header of a record of samples.v1 that is a replayed dead letter: if it is rejected again, no second dead letter is
 * written.
 */
export const replayHeader = 'takt-replay'

/** A record of deadletters.v1 (JSON): the rejected input, the reason, and its position in the log. */
export interface DeadLetter {
  readonly reason: DeadLetterReason
  readonly message: string
  /**
   * The JSON of the rejected record or sample, for replay; for a damaged compact record its bytes in base64; empty if
   * the record could not be decoded.
   */
  readonly value: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** When the record was appended to the log, UTC ms; its age is computed from this time. */
  readonly appendedAtMs: number
  /**
   * `ref` of the company whose key sent the sample over HTTP: a replay accepts the sample only for machines of this
   * company.
   */
  readonly companyRef?: CompanyRef
}
