import type { LookupFunction } from 'node:net'
import type { ConnectorTotals } from '../../schema/connector-health.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { ConnectorSecrets } from '../../schema/records/connector-secrets.ts'
import type { WireSample } from '../../schema/topics.ts'
import type { Position } from '../positions/position.ts'
import type { KeptNote, Note } from './note.ts'

/**
 * A kind of connector. Reads a source over one connection until the source or the signal ends it, and rejects with a
 * `SourceError` if the source cannot be read. The caller connects again after a pause, also after a resolution, and
 * passes the same position. When the promise settles, the connection is closed, and the position changes only by
 * deliveries that are still acknowledged; a change of the position follows directly on the acknowledgement.
 */
export type ReadSource = (session: SourceSession) => Promise<void>

/** Parts that a connector passes to its source for one connection. */
export interface SourceSession {
  readonly connector: ConnectorRecord
  /** Decrypted secrets. */
  readonly secrets: SourceSecrets
  /**
   * Where to continue. It always describes acknowledged samples: a source changes it only after the samples before it
   * are acknowledged, and then calls `positionChanged`.
   */
  readonly position: Position
  /**
   * Notes of the samples in the buffer on disk, oldest first: after a crash, some are newer than the position. Empty without
   * a buffer.
   */
  readonly notes: readonly KeptNote[]
  /** Aborts if the connector stops: the source closes its connection. */
  readonly signal: AbortSignal
  /** UTC ms. */
  readonly clock: () => number
  /** Whether the company has a machine now. */
  readonly hasMachine: (id: string) => boolean
  /** Resolves host names, and rejects addresses outside the allowed networks. For every socket that a source opens. */
  readonly lookup: LookupFunction
  /**
   * Counters of the connector. The source counts what it reads; `samples`, `rejected`, `gaps`, `lost` and `reconnects`
   * are counted for it.
   */
  readonly totals: ConnectorTotals
  /**
   * Delivers samples in the order of the calls. Resolves when the log has acknowledged them (invalid ones are counted and
   * skipped), or when they are in the connector's buffer on disk (kinds `shdr` and `mqtt`), in the order of the calls. Waits
   * while the log is unavailable, or the buffer is full. Rejects only if the connector stops. `note`: is in the buffer with
   * the samples until a position with `noted` of this number is stored.
   */
  deliver(samples: readonly WireSample[], note?: Note): Promise<void>
  /**
   * Delivers a body of `POST /ingest/samples` in the order of the calls, as `deliver` does; the acceptor validates it. A
   * body that cannot be read is counted and skipped.
   */
  deliverBody(body: Buffer): Promise<void>
  /** Whether the waiting samples, or the buffer, are below their limits. */
  hasSpace(): boolean
  /** Resolves when the waiting samples are below their limits; a source that reads ahead waits for it. */
  waitForSpace(): Promise<void>
  /** Lets the position be stored, within a second and when the connector stops. */
  positionChanged(): void
  /**
   * The source was heard now: of these machines, by default of all that the connector names. Call it after `deliver` of
   * what was read, without waiting: heartbeats follow these samples.
   */
  heard(machineIds?: readonly string[]): void
  /**
   * `catching_up`: the source has older data that is read first; `connected`: everything so far was passed to `deliver`.
   * Heartbeats are written only in the state `connected`, which begins when the first position is stored: until then, the
   * next process would begin with the present values.
   */
  report(state: 'catching_up' | 'connected'): void
  /**
   * The clock of the source shows this time now, UTC ms, without offsets of the settings. Of live data only, and before
   * `deliver` of its samples, which are compared to this time.
   */
  sourceClock(atMs: number): void
  /** Counts and logs observations that cannot be read any more. */
  lost(gap: Gap): void
  /** Shows an error that does not end the connection, such as a document that cannot be read. */
  warn(message: string): void
}

/** Secrets by name. */
export type SourceSecrets = ConnectorSecrets

/** A loss that cannot be repaired. */
export interface Gap {
  /** The machines; absent: all machines of the connector. */
  readonly machineIds?: readonly string[]
  /** Last contact before the loss, and the first observation after it, UTC ms of the own clock. */
  readonly fromMs: number
  readonly toMs: number
  /** Number of lost observations; null: unknown. */
  readonly lost: number | null
  /**
   * Whether the loss is only possible: then the source was heard, so the heartbeats of the missed time are written.
   * Default: the loss is certain.
   */
  readonly isUncertain?: boolean
}

/**
 * States of a source that cannot be read: `rejected` if it denies access, `invalid` if the settings are wrong,
 * `secret_unavailable` if the key or a file of the connector's secrets is missing.
 */
export type FailureState = 'disconnected' | 'rejected' | 'invalid' | 'secret_unavailable'

/** A source cannot be read. Its message is shown to users and contains no secrets. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code = 'source_failed'
  readonly state: FailureState

  constructor(message: string, state: FailureState = 'disconnected', options?: ErrorOptions) {
    super(message, options)
    this.state = state
  }
}

/** Finds the failure of a source in an error and its causes; null: the error has another origin. */
export function findSourceError(error: unknown): SourceError | null {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof SourceError) return each
  return null
}
