import { Type } from 'typebox'
import { ApiError, type Fault } from '../errors.ts'
import type { Change } from '../records/record-kinds.ts'
import { integer, list, longText, nullable, object, type Of, oneOf, sha256, unsafe } from '../types.ts'

/** Name of the command that writes the records of a lost log to a new one. */
export const restoreCommand = 'installation.restore'

/** The `format` that this version writes and reads. */
export const logFormat = 2

/** Caller of a change at that time. */
const actor = object({ kind: oneOf(['key', 'user', 'service']), name: longText })
export type Actor = Of<typeof actor>

/** Mark by which a repeated request is known (`Idempotency-Key`). */
const repeatMark = object({
  /** Hash of the route and the key that the caller gave. */
  key: sha256,
  /** Hash of what the request says. */
  body: sha256,
})
export type RepeatMark = Of<typeof repeatMark>

/** Chunk of a large entry in a record of the log. `index` counts from 0. */
const entryChunk = object({ index: integer(0, 100_000), count: integer(1, 100_000) })
export type EntryChunk = Of<typeof entryChunk>

const ms = Type.Integer({ minimum: 0, maximum: 8.64e15 })

/**
 * Command that a process asks of the registrar, in `commands.v1`. The sender reads the clock and draws random ids, so
 * that folding is pure.
 */
export const command = object(
  {
    /** UUID; a repeated id is answered again, not done again. */
    id: longText,
    /** After this the registrar drops it. */
    deadlineMs: ms,
    nowMs: ms,
    /** UUIDs for records that the command creates. */
    freshIds: list(longText, { maxItems: 100_000 }),
    /** null: the installation itself (first start, claims). */
    companyId: nullable(longText),
    /** Caller, for the audit trail: the id of a key or a user, or a part of the service. */
    actor: longText,
    /** Missing: a part of the service, or written before this was kept. */
    by: actor,
    /** e.g. `machine.put`; `schema/commands/commands.ts` has the payload of each. */
    name: longText,
    payload: unsafe<unknown>({}),
    /** Missing: a repeat of the request is not recognised. */
    repeat: repeatMark,
    /** Where the command is too large for one record of the log: its payload then is the list of the payloads of its chunks. */
    chunk: entryChunk,
  },
  ['by', 'payload', 'repeat', 'chunk'],
)
export type Command = Of<typeof command>

/** Outcome of a command: its result, or why it was refused. */
export type Outcome<Result = unknown> =
  { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly error: CommandError }

/** `status` is the HTTP status that the API answers. */
export interface CommandError {
  readonly status: 400 | 404 | 409 | 429
  readonly code: string
  readonly message: string
  readonly errors: readonly Fault[]
  /** Faults that were found, but are not in `errors`; 0 unless given. */
  readonly more?: number
}

/** One entry of `records.v1`: a command, its outcome and what it changed, as one. */
export interface RecordEntry {
  readonly command: Omit<Command, 'payload' | 'freshIds' | 'chunk'>
  /**
   * Offset of the command in commands.v1 (above `InstallationRecord.commandOffsetBase`). It rises from entry to entry;
   * an entry whose offset does not rise repeats an earlier one.
   */
  readonly commandOffset: number
  readonly outcome: Outcome
  readonly changes: readonly Change[]
  /**
   * For an entry that is too large for one record of the log: its chunks follow each other, each with some of the
   * changes.
   */
  readonly chunk?: EntryChunk
}

const tooManyRetryS = 60

/** The result of a command; throws the `ApiError` that it was refused with. */
export function resultOf<Result>(outcome: Outcome<Result>): Result {
  if (outcome.ok) return outcome.result
  const { status, code, message, errors, more = 0 } = outcome.error
  throw new ApiError(status, code, message, { errors, more, ...(status === 429 && { retryAfterS: tooManyRetryS }) })
}
