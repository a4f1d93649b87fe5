/**
 * The log port: an append-only, partitioned, durable log with consumer groups. It has two implementations: Kafka through
 * kafkajs (`log/kafka`), and an embedded one on disk (`log/embedded`). Offsets rise within a partition but need not be dense.
 */
export interface Log {
  readonly kind: 'kafka' | 'embedded'
  /**
   * Creates the missing topics. Of existing topics, the embedded log changes the retention, Kafka the source of time of shared ones.
   * Rejects with an error that holds the command for an administrator if the right is missing.
   */
  createTopics(topics: readonly TopicSpec[]): Promise<void>
  /** The names of the topics that exist. */
  topicNames(): Promise<readonly string[]>
  partitionCount(topic: string): Promise<number>
  /**
   * Resolves when every record is durable (embedded: fsynced; Kafka: acks=all), with where each one went, in the order given.
   * Records of one call for one partition keep their order. Without `partition` the key's hash decides (no key: any partition).
   * Rejects with `LogUnavailable` when the log can't take them (disk full, broker away past the retry limit).
   */
  append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]>
  /** Joins a group; partitions are shared among the group's members. Starts at the committed offset, else at the earliest record. */
  consume(options: ConsumeOptions): Promise<Consumer>
  /** Reads every partition without a group, so that each follower sees all of it. */
  follow(options: FollowOptions): Promise<Follower>
  /**
   * A writer that appends and commits an input offset as one: both or neither. A newer transactor of the same id fences older ones
   * (`Fenced`). When it resolves, readers see all that these have written within the scope.
   */
  transactor(id: string, scope: TransactorScope): Promise<Transactor>
  /** Next offset to be written, per partition. */
  endOffsets(topic: string): Promise<readonly number[]>
  /** Next offset to be read by the group, per partition; null where nothing was committed. */
  committed(group: string, topic: string): Promise<readonly (number | null)[]>
  /** Resolves when the log answers, rejects otherwise. */
  ping(): Promise<void>
  /**
   * Calls, and rejects with `LogUnavailable` within 2 s while no broker can be reached, although appends wait longer. A call in progress is
   * not cancelled: what it appends may still arrive.
   */
  whileReachable<T>(call: () => Promise<T>): Promise<T>
  close(): Promise<void>
  /** Lost records of the log; absent: the log does not check its files. */
  readonly damage?: LogDamage
}

/** Losses of a log that checks its own files. */
export interface LogDamage {
  /** Every loss that was ever found. */
  list(): readonly LostRecords[]
  /** Marks all losses as accepted; resolves with those that were not accepted before, when the marks are on disk. */
  accept(): Promise<readonly LostRecords[]>
  /** Resolves when all records of the start have been checked. */
  readonly checked: Promise<void>
}

/** Acknowledged records of a partition that are not in the log any more: offsets [from, to). */
export interface LostRecords {
  readonly topic: string
  readonly partition: number
  readonly from: number
  readonly to: number
  /** Times of the records before and behind, UTC ms; null: there are none. */
  readonly afterMs: number | null
  readonly beforeMs: number | null
  readonly foundMs: number
  /** When the loss was accepted; null: it is not. */
  readonly acceptedMs: number | null
}

export interface TopicSpec {
  readonly name: string
  readonly partitions: number
  /** How long records are kept; null: for ever. */
  readonly retentionMs: number | null
  /** About how many bytes of each partition are kept, the newest; absent: all. */
  readonly retentionBytes?: number | undefined
  /** Other programs append to the topic, too: its records get the time of the log, even if an administrator created it. */
  readonly isShared?: boolean
}

export interface NewRecord {
  readonly key: string | null
  readonly value: Buffer
  readonly partition?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Position {
  readonly partition: number
  readonly offset: number
}

export interface LogRecord extends Position {
  readonly topic: string
  readonly key: string | null
  readonly value: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** When the log took it. */
  readonly timestampMs: number
  /** Why the record has no value; absent: it has one. Delivered only to a consumer that accepts it. */
  readonly defect?: RecordDefect
}

/** A record that has no value: its producer wrote none (a tombstone), or its bytes cannot be decoded, whatever is tried. */
export type RecordDefect = {
  /** The record stands for the offsets from here to its own. */
  readonly firstOffset: number
} & ({ readonly kind: 'tombstone' } | { readonly kind: 'undecodable'; readonly message: string })

/** A run of records of one partition, never empty. */
export interface Batch {
  readonly topic: string
  readonly partition: number
  readonly records: readonly LogRecord[]
}

export interface ConsumeOptions {
  readonly topic: string
  readonly group: string
  /** Whether `onBatch` handles records with a `defect`; by default they are left out and reported as a problem of the process. */
  readonly acceptsDefects?: boolean
  /** Awaited before the first batch of a newly assigned partition. */
  readonly onAssigned?: (partitions: readonly number[]) => Promise<void>
  /** Called when partitions were taken away; work in flight for them must not be committed any more. */
  readonly onRevoked?: (partitions: readonly number[]) => Promise<void>
  /**
   * One batch at a time per partition; the next comes when the promise resolves, however long it takes (the member stays in
   * the group meanwhile). A rejection delivers the same records again after a back-off.
   */
  readonly onBatch: (batch: Batch) => Promise<void>
}

export interface Consumer {
  /** Records that everything before `nextOffset` is done. Of several commits at a time the highest counts, and none sets the group back. */
  commit(partition: number, nextOffset: number): Promise<void>
  pause(partition: number): void
  resume(partition: number): void
  /** Leaves the group after the batches in flight. */
  stop(): Promise<void>
}

export interface FollowOptions {
  readonly topic: string
  readonly from: 'earliest' | 'latest'
  /** One call at a time per partition, in order; a rejection delivers the same records again. */
  readonly onBatch: (batch: Batch) => Promise<void> | void
}

export interface Follower {
  /** Resolves once everything that was in the topic when following began has been handled. */
  readonly caughtUp: Promise<void>
  /** Resolves once everything that is in the topic now has been handled. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

/** Where the transactors of an id write. */
export interface TransactorScope {
  readonly topics: readonly string[]
  /** Whose offsets they commit. */
  readonly group: string
}

export interface Transactor {
  /**
   * Appends the records and commits the group's offset in one transaction; resolves when readers see both. A rejection with
   * `LogUnavailable` does not tell whether it took place: open a new one and look.
   */
  commit(records: readonly (NewRecord & { readonly topic: string })[], input: InputOffset): Promise<readonly Position[]>
  close(): Promise<void>
}

export interface InputOffset extends Position {
  readonly group: string
  readonly topic: string
  /** Next offset to be read. */
  readonly offset: number
}

/** The log can't take or give records now; the same call may work later. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
  readonly code = 'log_unavailable'
  readonly retryable = true
}

/** A newer transactor with the same id exists; this one must stop. */
export class Fenced extends Error {
  override readonly name = 'Fenced'
  readonly code = 'fenced'
  readonly retryable = false
}
