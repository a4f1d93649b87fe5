import { hash } from 'node:crypto'
import type {
  Command,
  CommandError,
  Outcome,
  ProjectedPosition,
  RecordEntry,
} from '../../schema/commands/command-log.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { MemoryLimits, MemoryStart } from '../../schema/commands/stored-records.ts'
import { Records } from '../records/records.ts'
import type { Context, Decision } from './deciding/command.ts'
import { catalogue } from './commands/index.ts'
import type { Steps } from '../../shared/async/steps.ts'
import { instantText } from '../../shared/time/instant.ts'
import { CommandRejection } from './deciding/command-rejection.ts'
import { Refs } from './deciding/refs.ts'
import { NotRead, StoredReads } from './deciding/stored-reads.ts'
import { JobOperationFinder } from './deciding/job-operation-finder.ts'
import { TimedRecordFinder } from './deciding/timed-record-finder.ts'
import { KeyedOutcomes } from './keyed-outcomes.ts'
import { OutcomeCache } from './outcome-cache.ts'

/** A decided command: its outcome and its changes of records. */
export interface DecidedCommand extends Pick<RecordEntry, 'outcome' | 'changes'> {
  /** Unexpected error, which is a bug of a command. The outcome then has the code `CommandFailed`. */
  readonly failure?: unknown
}

/**
 * State of the registrar: the records and all that decisions depend on. It is derived only from the entries of
 * records.v1, of which the store contains the result, so that a command gets the same decision again after a crash.
 */
export class Registrar {
  /** The current records. */
  readonly records: Records
  readonly #refs = new Refs()
  readonly #outcomes = new OutcomeCache()
  readonly #keyed = new KeyedOutcomes()
  #lastCommandOffset = -1

  /** `limits`: of the records with a time that stay in memory; null: all of them. */
  constructor(limits: MemoryLimits | null = null) {
    this.records = new Records(limits)
  }

  /** Offset in commands.v1 of the last applied command; -1 if none was applied. */
  get lastCommandOffset(): number {
    return this.#lastCommandOffset
  }

  /**
   * Decides a command without changing anything. `appendedAtMs`: when the command was appended to the log; after its
   * deadline it is rejected (409 `DeadlinePassed`). A repeated command id, or a repeated request with an `Idempotency-
   * Key`, gets the first outcome and no changes. No other command may be decided or applied between the steps. Throws
   * `NotRead` if it needs more than `stored`.
   */
  *decide(command: Command, appendedAtMs: number, stored = new StoredReads()): Steps<DecidedCommand> {
    const outcome = this.#outcomes.findOutcome(command.id)
    if (outcome) return { outcome, changes: [] }
    if (appendedAtMs > command.deadlineMs)
      return rejected(409, 'DeadlinePassed', 'The command arrived after its deadline')
    const keyed = this.#keyed.outcomeFor(command)
    if (keyed) return { outcome: keyed, changes: [] }
    const spec = catalogue.get(command.name)
    if (!spec) return rejected(400, 'UnknownCommand', `Unknown command '${command.name}'`)
    try {
      const { changes, result }: Decision = yield* spec.run(command.payload, this.#createContext(command, stored))
      return { outcome: { ok: true, result }, changes }
    } catch (error) {
      if (error instanceof NotRead) throw error
      if (error instanceof CommandRejection) return { outcome: { ok: false, error: error.error }, changes: [] }
      return { ...rejected(409, 'CommandFailed', 'The command failed'), failure: error }
    }
  }

  /**
   * Applies an entry that was decided or read from records.v1. `appendedAtMs`: when the entry or its command was
   * appended to the log.
   */
  apply(entry: RecordEntry, appendedAtMs: number): void {
    this.records.apply(entry, this.#nextOffset)
    this.#update(entry, appendedAtMs)
  }

  /**
   * Does the same as `apply`, but yields to the event loop during large changes. No other command may be decided or
   * applied meanwhile.
   */
  async applyCooperatively(entry: RecordEntry, appendedAtMs: number): Promise<void> {
    await this.records.applyCooperatively(entry, this.#nextOffset)
    this.#update(entry, appendedAtMs)
  }

  /** Begins the restoration: the records with a time are those from this time on. */
  restoreFrom(start: MemoryStart): void {
    this.records.restoreFrom(start)
  }

  /** Restores a record from the store, as a change that creates it, or deletes it from its last state. */
  restore(change: Change): void {
    this.records.restore(change)
    this.#refs.restore(change)
  }

  /** Ends the restoration: the state is that after the entry at this position. */
  continueAfter(position: ProjectedPosition): void {
    this.records.continueAfter(position)
    this.#refs.restoreHighest(position.highestRefs)
    this.#lastCommandOffset = position.commandOffset
  }

  /** Adds the outcome of an entry whose changes were restored from the store. */
  restoreOutcome(entry: RecordEntry, appendedAtMs: number): void {
    this.#outcomes.add(entry, appendedAtMs)
    this.#keyed.add(entry, appendedAtMs)
  }

  /** Highest integers ever assigned, by kind of ref. */
  get highestRefs(): Readonly<Record<string, number>> {
    return this.#refs.highest()
  }

  /**
   * Placeholder: the offset of a new entry is unknown before the commit, and the registrar does not use the offsets of
   * records.
   */
  get #nextOffset(): number {
    return this.records.offset + 1
  }

  #update(entry: RecordEntry, appendedAtMs: number): void {
    for (const change of entry.changes) this.#refs.apply(change)
    this.restoreOutcome(entry, appendedAtMs)
    this.#lastCommandOffset = Math.max(this.#lastCommandOffset, entry.commandOffset)
  }

  #createContext({ id, freshIds, nowMs, companyId }: Command, stored: StoredReads): Context {
    return {
      records: this.records,
      nowMs,
      now: instantText(nowMs),
      company: companyId === null ? null : this.records.company(companyId),
      nextRef: this.#refs.createAllocator(),
      refs: this.#refs,
      timed: new TimedRecordFinder(this.records, stored),
      operations: new JobOperationFinder(this.records, stored),
      stored,
      freshId: createUuidGenerator(id, freshIds),
    }
  }
}

/** Returns a generator of the command's UUIDs; if they are used up, further ones are derived from the command's id. */
function createUuidGenerator(commandId: string, freshIds: readonly string[]): () => string {
  let drawn = 0
  return () => freshIds[drawn++] ?? derivedUuid(`${commandId} ${drawn}`)
}

/** Returns a UUID of version 8 (RFC 9562) that is derived from the hash of a string. */
function derivedUuid(text: string): string {
  const hex = hash('sha256', text, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function rejected(status: CommandError['status'], code: string, message: string): DecidedCommand {
  const outcome: Outcome = { ok: false, error: { status, code, message, errors: [] } }
  return { outcome, changes: [] }
}
