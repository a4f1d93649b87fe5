import { hash } from 'node:crypto'
import type { Command, CommandError, Outcome, RecordEntry } from '../../schema/commands/command-log.ts'
import { Records } from '../records/records.ts'
import type { Context, Decision } from './deciding/command.ts'
import { catalogue } from './commands/index.ts'
import { runSync, type Steps } from '../../shared/async/steps.ts'
import { instantText } from '../../shared/time/instant.ts'
import { Refusal } from './deciding/refusal.ts'
import { Refs } from './deciding/refs.ts'
import { KeyedOutcomes } from './keyed-outcomes.ts'
import { OutcomeCache } from './outcome-cache.ts'

/** Outcome of a command. */
export interface Decided extends Pick<RecordEntry, 'outcome' | 'changes'> {
  /** An error that no command should throw: a fault of this program. The outcome says `CommandFailed`. */
  readonly failure?: unknown
}

/**
 * The fold of commands into records: what a command comes to depends only on the entries before it, so that it comes to the same
 * again after a crash. Refs, and outcomes by command id, are folded from the entries too.
 */
export class Registrar {
  /** The records as folded so far. */
  readonly records = new Records()
  readonly #refs = new Refs()
  readonly #outcomes = new OutcomeCache()
  readonly #keyed = new KeyedOutcomes()
  #lastCommandOffset = -1

  /** Offset in commands.v1 of the last command folded; -1: none. */
  get lastCommandOffset(): number {
    return this.#lastCommandOffset
  }

  /**
   * Pure: decides a command and changes nothing. `appendedAtMs` is when the log took the command: past its deadline it is dropped
   * (409 `DeadlinePassed`). A repeated id, or a request that is repeated with its `Idempotency-Key`, comes to the same outcome, with no
   * changes.
   */
  decide(command: Command, appendedAtMs: number): Decided {
    return runSync(this.deciding(command, appendedAtMs))
  }

  /** As `decide`, in steps: nothing else may be decided or folded between them. */
  *deciding(command: Command, appendedAtMs: number): Steps<Decided> {
    const outcome = this.#outcomes.outcomeOf(command.id)
    if (outcome) return { outcome, changes: [] }
    if (appendedAtMs > command.deadlineMs) return refused(409, 'DeadlinePassed', 'The command came after its deadline')
    const keyed = this.#keyed.outcomeFor(command)
    if (keyed) return { outcome: keyed, changes: [] }
    const spec = catalogue.get(command.name)
    if (!spec) return refused(400, 'UnknownCommand', `There is no command '${command.name}'`)
    try {
      const { changes, result }: Decision = yield* spec.run(command.payload, this.#contextOf(command))
      return { outcome: { ok: true, result }, changes }
    } catch (error) {
      if (error instanceof Refusal) return { outcome: { ok: false, error: error.error }, changes: [] }
      return { ...refused(409, 'CommandFailed', 'The command failed'), failure: error }
    }
  }

  /** Folds an entry, decided or read from records.v1. `appendedAtMs`: when the log took it, or its command. */
  apply(entry: RecordEntry, appendedAtMs: number): void {
    this.records.apply(entry, this.#nextOffset)
    this.#note(entry, appendedAtMs)
  }

  /** As `apply`, but yields to the event loop during large changes. Nothing else may be decided or folded meanwhile. */
  async applyInTurns(entry: RecordEntry, appendedAtMs: number): Promise<void> {
    await this.records.applyInTurns(entry, this.#nextOffset)
    this.#note(entry, appendedAtMs)
  }

  /** The records' offsets are no one's business here: those of entries just decided aren't known yet. */
  get #nextOffset(): number {
    return this.records.offset + 1
  }

  #note(entry: RecordEntry, appendedAtMs: number): void {
    for (const change of entry.changes) this.#refs.fold(change)
    this.#outcomes.add(entry, appendedAtMs)
    this.#keyed.add(entry, appendedAtMs)
    this.#lastCommandOffset = Math.max(this.#lastCommandOffset, entry.commandOffset)
  }

  #contextOf({ id, freshIds, nowMs, companyId }: Command): Context {
    return {
      records: this.records,
      nowMs,
      now: instantText(nowMs),
      company: companyId === null ? null : this.records.company(companyId),
      nextRef: this.#refs.drawer(),
      refs: this.#refs,
      freshId: idMaker(id, freshIds),
    }
  }
}

/** The UUIDs that came with the command, then as many more as are needed, derived from its id. */
function idMaker(commandId: string, freshIds: readonly string[]): () => string {
  let drawn = 0
  return () => freshIds[drawn++] ?? derivedUuid(`${commandId} ${drawn}`)
}

/** A UUID of version 8 (RFC 9562) from a text's hash. */
function derivedUuid(text: string): string {
  const hex = hash('sha256', text, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function refused(status: CommandError['status'], code: string, message: string): Decided {
  const outcome: Outcome = { ok: false, error: { status, code, message, errors: [] } }
  return { outcome, changes: [] }
}
