import { Type } from 'typebox'
import { ApiError, type FieldError } from '../errors.ts'
import type { Change } from '../records/record-kinds.ts'
import * as t from '../types.ts'

/** Name of the command that copies the records of a lost log into a new log. */
export const restoreCommand = 'installation.restore'

/**
 * Version of the format of the log's topics that this version of the service writes (`InstallationRecord.format`). A new
 * installation has it; an older one keeps its format until something is written that needs a later one.
 */
export const logFormat = 3

/** The oldest format that this version reads: that of 0.2.0. A format is readable for at least two minor releases. */
export const oldestLogFormat = 3

/** Key, user or part of the service that requested a change, with its name at that time. */
const actor = t.object({ kind: t.oneOf(['key', 'user', 'service']), name: t.longText })
export type Actor = t.Infer<typeof actor>

/** Identifies a repeated request (`Idempotency-Key`). */
const requestFingerprint = t.object({
  /** Hash of the route and the value of the header `Idempotency-Key`. */
  key: t.sha256,
  /** Hash of the request body. */
  body: t.sha256,
})
export type RequestFingerprint = t.Infer<typeof requestFingerprint>

/** Position of a chunk of an entry that is too large for one record of the log: `index` from 0, out of `count`. */
const entryChunk = t.object({ index: t.integer(0, 100_000), count: t.integer(1, 100_000) })
export type EntryChunk = t.Infer<typeof entryChunk>

const ms = Type.Integer({ minimum: 0, maximum: 8.64e15 })

/**
 * Command to the registrar, in `commands.v1`. The sender adds the current time and random ids, so that processing a
 * command is deterministic.
 */
export const command = t.object(
  {
    /** UUID. For a repeated id the registrar returns the first outcome and does not execute the command again. */
    id: t.longText,
    /** The registrar ignores the command after this time, UTC ms. */
    deadlineMs: ms,
    nowMs: ms,
    /** UUIDs that the registrar assigns to records that the command creates. */
    freshIds: t.list(t.longText, { maxItems: 100_000 }),
    /** null for commands of the installation itself (first start, claims of partitions). */
    companyId: t.nullable(t.longText),
    /**
     * Id of the key or user that requested the command, or the name of a part of the service; shown in the audit trail.
     */
    actor: t.longText,
    /** Missing in commands of the service itself and of versions that did not store it. */
    by: actor,
    /** Name such as `machine.put`; `schema/commands/commands.ts` defines the payload of each. */
    name: t.longText,
    payload: t.unsafe<unknown>({}),
    /** If missing, repeated requests are not recognised. */
    repeat: requestFingerprint,
    /**
     * For a command that is too large for one record of the log. Its payload is then the array of the payloads of its
     * chunks.
     */
    chunk: entryChunk,
  },
  ['by', 'payload', 'repeat', 'chunk'],
)
export type Command = t.Infer<typeof command>

/** Outcome of a command: its result, or the reason of its rejection. */
export type Outcome<Result = unknown> =
  { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly error: CommandError }

/** `status` is the HTTP status of the API's response. */
export interface CommandError {
  readonly status: 400 | 404 | 409 | 429
  readonly code: string
  readonly message: string
  readonly errors: readonly FieldError[]
  /** Number of further field errors that are not in `errors`; default: 0. */
  readonly more?: number
}

/** Entry of `records.v1`: a command with its outcome and all its changes, so that readers apply them atomically. */
export interface RecordEntry {
  readonly command: Omit<Command, 'payload' | 'freshIds' | 'chunk'>
  /**
   * Offset of the command in commands.v1, plus `InstallationRecord.commandOffsetBase`. It increases from entry to
   * entry; an entry whose offset does not increase repeats an earlier entry and is ignored.
   */
  readonly commandOffset: number
  readonly outcome: Outcome
  readonly changes: readonly Change[]
  /**
   * For an entry that is too large for one record of the log: its chunks are consecutive, and each contains some of the
   * changes.
   */
  readonly chunk?: EntryChunk
}

/**
 * Record of `records.v1` that the registrar appends after entries: the store contains all entries up to this
 * `commandOffset`. Only written if several processes share the log.
 */
export interface ProjectedMark {
  readonly projectedOffset: number
}

/**
 * How far the store follows records.v1: it contains every entry up to this one. With the records in the store, this is
 * the state from which a process continues with the later entries.
 */
export interface ProjectedPosition {
  readonly commandOffset: number
  /** Offset in records.v1 of the entry; of its last chunk if it has several. */
  readonly offset: number
  /** Id of the command of the entry: the entry at `offset` of another log has another one. */
  readonly commandId: string
  /** Highest integer ever assigned, by kind of ref. */
  readonly highestRefs: Readonly<Record<string, number>>
  /** Offset in records.v1 from which the outcomes are read to which repeated requests are entitled. */
  readonly outcomesFrom: number
}

const tooManyRetryS = 60

/** Returns the result of a command; throws an `ApiError` if the command was rejected. */
export function resultOrThrow<Result>(outcome: Outcome<Result>): Result {
  if (outcome.ok) return outcome.result
  const { status, code, message, errors, more = 0 } = outcome.error
  throw new ApiError(status, code, message, { errors, more, ...(status === 429 && { retryAfterS: tooManyRetryS }) })
}
