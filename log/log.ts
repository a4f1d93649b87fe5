/**
 * An append-only, partitioned, durable log with consumer groups. It has two implementations: Kafka through kafkajs
 * (`log/kafka`), and an embedded one on disk (`log/embedded`). Offsets increase within a partition but may have gaps.
 */
export interface Log {
  readonly kind: 'kafka' | 'embedded'
  /**
   * Creates missing topics and updates existing ones: the embedded log their retention, Kafka the timestamp source of
   * shared ones. Without the permission, rejects with an error that contains the command for an administrator.
   */
  createTopics(topics: readonly TopicSpec[]): Promise<void>
  /** The names of the existing topics. */
  topicNames(): Promise<readonly string[]>
  partitionCount(topic: string): Promise<number>
  /**
   * Resolves with the positions, in order, when every record is durable (embedded: fsynced; Kafka: acks=all). Records
   * of one call for one partition keep their order. Without `partition`, the hash of the key determines the partition
   * (no key: any partition). Rejects with `LogUnavailable` if the log is unavailable (disk full, broker unreachable
   * beyond the retry limit).
   */
  append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]>
  /**
   * Joins a group, whose members share the partitions. Starts at the committed offset, otherwise at the earliest
   * record.
   */
  consume(options: ConsumeOptions): Promise<Consumer>
  /**
   * Reads partitions without a group, so that each follower receives all records. Rejects with `OffsetOutOfRange` if the
   * log does not contain an offset of `from`.
   */
  follow(options: FollowOptions): Promise<Follower>
  /**
   * Opens a writer that appends records, and commits an input offset if there is one, atomically. A newer transactor of the same id fences older
   * ones (`Fenced`). When it resolves, readers see everything that older ones have written within the scope.
   */
  transactor(id: string, scope: TransactorScope): Promise<Transactor>
  /** Returns the next offset to write, per partition. */
  endOffsets(topic: string): Promise<readonly number[]>
  /** Returns the committed offset of the group, per partition; null if none was committed. */
  committed(group: string, topic: string): Promise<readonly (number | null)[]>
  /**
   * Deletes records of a partition, the oldest first, that have an offset below `offset` and were appended before
   * `beforeMs` (UTC ms); some of them may stay. Rejects with `LogUnavailable`.
   */
  deleteRecords(topic: string, before: DeletedRange): Promise<void>
  /** Resolves if the log is available, rejects otherwise. */
  ping(): Promise<void>
  /**
   * Runs a call, and rejects with `LogUnavailable` within 2 s while no broker can be reached, although appends wait
   * longer. A call in progress is not cancelled: its records may still be appended.
   */
  whileReachable<T>(call: () => Promise<T>): Promise<T>
  close(): Promise<void>
  /** Lost records; absent if the log does not check its files. */
  readonly damage?: LogDamage
}

/** The records of a partition before an offset and before a time. */
export interface DeletedRange extends Position {
  readonly beforeMs: number
}

/** Losses of a log that checks its own files. */
export interface LogDamage {
  /** All losses found so far. */
  list(): readonly LostRecords[]
  /** Accepts all losses; resolves with the newly accepted ones when this is durable. */
  accept(): Promise<readonly LostRecords[]>
  /** Resolves when all records that existed at the start have been checked. */
  readonly checked: Promise<void>
}

/** Acknowledged records of a partition that the log has lost: offsets [from, to). */
export interface LostRecords {
  readonly topic: string
  readonly partition: number
  readonly from: number
  readonly to: number
  /** Times of the last record before `from` and of the first one after `to`, UTC ms; null: there is none. */
  readonly afterMs: number | null
  readonly beforeMs: number | null
  readonly foundMs: number
  /** Time of the acceptance; null: not accepted. */
  readonly acceptedMs: number | null
}

export interface TopicSpec {
  readonly name: string
  readonly partitions: number
  /** Retention of records; null: unlimited. */
  readonly retentionMs: number | null
  /** Approximate size limit of each partition, oldest records are deleted first; absent: unlimited. */
  readonly retentionBytes?: number | undefined
  /**
   * Whether at least the newest record of each key stays, without `retentionMs`, and older ones are deleted. An empty
   * value deletes its key. Records need a key. Readers may receive the newest record of a key again, and a reader may
   * miss a deletion that happened long before. Each process states this in `createTopics`, before other calls.
   */
  readonly isCompacted?: boolean
  /**
   * Whether other programs append to the topic: its records then get the time of the log, even if an administrator
   * created the topic.
   */
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
  /** Time of the append. */
  readonly timestampMs: number
  /**
   * Why the record has no value; absent if it has one. Delivered only to consumers with `acceptsDefects`; a tombstone of
   * a compacted topic to all readers.
   */
  readonly defect?: RecordDefect
}

/** A record without a value: its producer wrote none (a tombstone), or its bytes cannot be decoded. */
export type RecordDefect = {
  /** The record replaces the offsets from here to its own. */
  readonly firstOffset: number
} & ({ readonly kind: 'tombstone' } | { readonly kind: 'undecodable'; readonly message: string })

/** Consecutive records of one partition, never empty. */
export interface Batch {
  readonly topic: string
  readonly partition: number
  readonly records: readonly LogRecord[]
}

export interface ConsumeOptions {
  readonly topic: string
  readonly group: string
  /**
   * Whether `onBatch` handles records with a `defect`; by default they are skipped and reported as a problem of the
   * process.
   */
  readonly acceptsDefects?: boolean
  /** Awaited before the first batch of a newly assigned partition. */
  readonly onAssigned?: (partitions: readonly number[]) => Promise<void>
  /**
   * Called when partitions were revoked; work in progress for them must not be committed. Embedded: the next member gets
   * the partitions when it resolves; Kafka: both are called at the same time.
   */
  readonly onRevoked?: (partitions: readonly number[]) => Promise<void>
  /**
   * Handles a batch. Per partition, one batch is handled at a time; the next one follows when the promise resolves,
   * without a time limit (the member stays in the group). After a rejection, the same records are delivered again after
   * a back-off.
   */
  readonly onBatch: (batch: Batch) => Promise<void>
}

export interface Consumer {
  /**
   * Commits that everything before `nextOffset` is handled. Of concurrent commits, the highest offset is used; a commit
   * never moves the group back.
   */
  commit(partition: number, nextOffset: number): Promise<void>
  pause(partition: number): void
  resume(partition: number): void
  /** Leaves the group after the batches in flight. */
  stop(): Promise<void>
}

export interface FollowOptions {
  readonly topic: string
  /**
   * Where to start: at the first or after the last existing record, or at the first offset to read of each partition, by
   * partition. A partition beyond the end of the list is read from its first record.
   */
  readonly from: 'earliest' | 'latest' | readonly number[]
  /** Partitions to read; by default all, including those that are added later. */
  readonly partitions?: readonly number[]
  /** Handles a batch; called sequentially per partition. After a rejection, the same records are delivered again. */
  readonly onBatch: (batch: Batch) => Promise<void> | void
}

export interface Follower {
  /** Resolves when all records that existed at the start have been handled. */
  readonly caughtUp: Promise<void>
  /** Resolves when all records that exist at the call have been handled. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

/** Topics to which the transactors of an id write, and the group whose offsets they commit. */
export interface TransactorScope {
  readonly topics: readonly string[]
  /** The group whose offsets they commit; absent: they commit none. */
  readonly group?: string
}

export interface Transactor {
  /**
   * Appends the records and commits the group's offset, if `input` has one, in one transaction; resolves when readers
   * see both. After a rejection with `LogUnavailable` the outcome is unknown: open a new transactor and read the log.
   */
  commit(
    records: readonly (NewRecord & { readonly topic: string })[],
    input?: InputOffset,
  ): Promise<readonly Position[]>
  close(): Promise<void>
}

export interface InputOffset extends Position {
  readonly group: string
  readonly topic: string
  /** Next offset to read. */
  readonly offset: number
}

/** The log is temporarily unavailable; a retry may succeed. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable'
  readonly code = 'log_unavailable'
  readonly retryable = true
}

/** A follower cannot start at an offset: it is before the first record of the partition, or after its end. */
export class OffsetOutOfRange extends Error {
  override readonly name = 'OffsetOutOfRange'
  readonly code = 'offset_out_of_range'
  readonly retryable = false
}

/** A newer transactor with the same id exists; this one must stop. */
export class Fenced extends Error {
  override readonly name = 'Fenced'
  readonly code = 'fenced'
  readonly retryable = false
}
