import { reportDamagedRecord } from '../../log/damaged-record.ts'
import type { Batch, LogRecord, Position, Transactor } from '../../log/log.ts'
import { readToEnd } from '../../log/read-to-end.ts'
import type { Command, CommandError, RecordEntry } from '../../schema/commands/command-log.ts'
import { groups, topics } from '../../schema/topics.ts'
import { encodeEntry, encodeProjectedMark, EntryReader } from '../records/entry-codec.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { CommandChunks } from './command-chunks.ts'
import { parseCommand } from './envelope.ts'
import type { Effect, OperationsById, RegistrarOptions } from './options.ts'
import { NotRead, type StoredDataReader, StoredReads } from './deciding/stored-reads.ts'
import { isLookup, lookupReader, RecordLookups } from './record-lookups.ts'
import { type DecidedCommand, Registrar } from './registrar.ts'
import { loadRecords } from '../records/load.ts'
import { RecentEntries } from './recent-entries.ts'
import { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import { retry } from '../../shared/async/retry.ts'

const transactorId = 'takt-registrar'
/** Maximum number of commands per transaction. */
const maxCommands = 200
/**
 * Maximum bytes of one record of the log (topics on Kafka allow 8 MiB), and of one transaction; only a single larger
 * entry may exceed the latter.
 */
const maxBytes = 7_500_000
/** Maximum bytes of all records of one entry. */
const maxEntryBytes = 256 << 20

interface EncodedEntry {
  readonly entry: RecordEntry
  readonly values: readonly Buffer[]
  /** When the command was appended to the log. */
  readonly appendedAtMs: number
}

/** An entry in records.v1. */
interface CommittedEntry {
  readonly entry: RecordEntry
  /** Offset of its last chunk. */
  readonly offset: number
  /** When the entry or its command was appended to the log. */
  readonly appendedAtMs: number
}

/** A processed command that is not committed yet. */
interface ProcessedCommand {
  readonly end: number
  /** Offset to commit: before `end` if `end` lies within an incomplete command. */
  readonly nextOffset: number
  readonly entries: readonly EncodedEntry[]
  /** A command that an effect executes, because it changes no records; otherwise null. */
  readonly effectCommand: Command | null
}

/** Processes the commands of one assignment of the partition. It has the current records and the transactor. */
export class CommandProcessor {
  readonly #registrar: Registrar
  readonly #transactor: Transactor
  readonly #options: RegistrarOptions
  readonly #ending: AbortSignal
  readonly #effects: ReadonlyMap<string, Effect>
  readonly #chunks = new CommandChunks()
  readonly #recent = new RecentEntries()
  readonly #lookups: RecordLookups
  readonly #reader: StoredDataReader

  private constructor(registrar: Registrar, transactor: Transactor, options: RegistrarOptions, ending: AbortSignal) {
    this.#registrar = registrar
    this.#transactor = transactor
    this.#options = options
    this.#ending = ending
    this.#lookups = new RecordLookups(options.history)
    this.#reader = { ...options.history, ...lookupReader(this.#lookups) }
    this.#effects = options.effects?.() ?? new Map<string, Effect>()
  }

  /**
   * Opens the transactor first: that fences the previous registrar, so that the entries read afterwards are complete.
   */
  static async open(options: RegistrarOptions, ending: AbortSignal): Promise<CommandProcessor> {
    const transactor = await options.log.transactor(transactorId, { topics: [topics.records], group: groups.registrar })
    try {
      const processor = new CommandProcessor(new Registrar(options.memoryLimits), transactor, options, ending)
      await processor.#replayRecords()
      await processor.#announceProjected(processor.#registrar.lastCommandOffset)
      return processor
    } catch (error) {
      await transactor.close()
      throw error
    }
  }

  /** Processes a batch of commands in transactions of limited size. */
  async process({ partition, records }: Batch): Promise<void> {
    const { records: current } = this.#registrar
    if (this.#lookups.mustSettle) await this.#settleLookups()
    await this.#retryUntilDone('Reading records', () => this.#lookups.startBatch(records, current))
    let pending: ProcessedCommand[] = []
    let bytes = 0
    const slice = new TimeSlice()
    const commitPending = async (): Promise<void> => {
      await this.#commit(partition, pending)
      pending = []
      bytes = 0
    }
    for (const record of records) {
      const { entries, effectCommand } = await this.#process(record, commitPending)
      // Chunks of a command are large, so this yields to the event loop between them.
      if (slice.isOver) await slice.next()
      const more = entries.reduce((sum, { values }) => sum + bytesOf(values), effectCommand ? record.value.length : 0)
      if (pending.length === maxCommands || bytes + more > maxBytes) await commitPending()
      const end = record.offset + 1
      pending.push({ end, nextOffset: Math.min(end, this.#chunks.firstIncompleteOffset), entries, effectCommand })
      bytes += more
    }
    await this.#commit(partition, pending)
  }

  close(): Promise<void> {
    return this.#transactor.close()
  }

  async #commit(partition: number, decided: readonly ProcessedCommand[]): Promise<void> {
    const last = decided.at(-1)
    if (!last) return
    const entries = decided.flatMap(each => each.entries)
    const effectCommands = decided.flatMap(each => each.effectCommand ?? [])
    // Only chunks of an incomplete command were read: there is nothing to commit.
    if (entries.length === 0 && effectCommands.length === 0 && last.nextOffset < last.end) return
    await this.#runEffects(effectCommands)
    const positions = await this.#transactor.commit(
      entries.flatMap(({ entry, values }) =>
        values.map(value => ({ topic: topics.records, partition: 0, key: entry.command.companyId, value })),
      ),
      { group: groups.registrar, topic: topics.commands, partition, offset: last.nextOffset },
    )
    let written = 0
    const committed = entries.map(({ entry, values, appendedAtMs }) => {
      written += values.length
      return { entry, offset: offsetOf(positions[written - 1]), appendedAtMs }
    })
    await this.#project(committed)
    const lastEntry = committed.at(-1)
    if (lastEntry) await this.#announceProjected(lastEntry.entry.commandOffset)
  }

  async #announceProjected(projectedOffset: number): Promise<void> {
    const { log, onProjected } = this.#options
    if (onProjected) return onProjected(projectedOffset)
    if (projectedOffset < 0) return
    await log.append(topics.records, [{ key: null, value: encodeProjectedMark({ projectedOffset }), partition: 0 }])
  }

  /**
   * Decides the command that a record completes. Returns no entry for commands that were already decided, are
   * incomplete or cannot be parsed.
   */
  async #process(
    record: LogRecord,
    commitPending: () => Promise<void>,
  ): Promise<Pick<ProcessedCommand, 'entries' | 'effectCommand'>> {
    const noEntry = { entries: [], effectCommand: null }
    const command = this.#assemble(record)
    const commandOffset = record.offset + (this.#registrar.records.installation()?.commandOffsetBase ?? 0)
    if (!command || commandOffset <= this.#registrar.lastCommandOffset) return noEntry
    if (this.#effects.has(command.name)) return { entries: [], effectCommand: command }
    const { failure, ...decided } = await this.#decide(command, record.timestampMs, commitPending)
    if (failure !== undefined) this.#options.logger.error({ err: failure, command: command.name }, 'Command failed')
    const values = await runCooperatively(encodeInSteps(command, commandOffset, decided))
    // Applies the decoded entry, so that these records equal those of every reader.
    const entry = await decode(values)
    await this.#registrar.applyCooperatively(entry, record.timestampMs)
    await this.#lookups.add(entry.changes)
    return { entries: [{ entry, values, appendedAtMs: record.timestampMs }], effectCommand: null }
  }

  /** Decides a command; reads what the decision needs from the store, which first gets all entries decided so far. */
  async #decide(command: Command, appendedAtMs: number, commitPending: () => Promise<void>): Promise<DecidedCommand> {
    const stored = new StoredReads()
    for (;;)
      try {
        return await runCooperatively(this.#registrar.decide(command, appendedAtMs, stored))
      } catch (error) {
        if (!(error instanceof NotRead)) throw error
        // Lookups contain the pending changes.
        if (!isLookup(error.what)) await commitPending()
        else if (this.#lookups.mustSettle) {
          await commitPending()
          await this.#settleLookups()
        }
        await this.#retryUntilDone('Reading records', () => stored.read(error, this.#reader))
      }
  }

  async #settleLookups(): Promise<void> {
    await this.#retryUntilDone('Writing records', () => this.#lookups.settle())
  }

  /**
   * Returns the command that this record completes; null if it is incomplete or cannot be parsed. Chunks of already
   * decided commands are assembled too, because they determine the offset to commit.
   */
  #assemble(record: LogRecord): Command | null {
    this.#chunks.removeExpired(record.timestampMs)
    const command = this.#parse(record)
    if (!command?.chunk) return command
    return this.#chunks.add(command, command.chunk.index, command.chunk.count, record.offset)
  }

  #parse({ value, partition, offset }: LogRecord): Command | null {
    try {
      return parseCommand(value)
    } catch (error) {
      this.#options.logger.error({ err: error, offset }, 'Skipped unreadable command')
      reportDamagedRecord(this.#options.problems, {
        topic: topics.commands,
        partition,
        offset,
        why: 'it is not a valid command',
      })
      return null
    }
  }

  /** Restores the state from the store, or from the beginning of the log, and projects the entries that the store lacks. */
  async #replayRecords(): Promise<void> {
    const { log, stored } = this.#options
    const registrar = this.#registrar
    for (const change of (await stored?.readDeletedRecords()) ?? []) registrar.restore(change)
    const position = stored ? await loadRecords(log, stored, registrar) : null
    if (position) {
      registrar.continueAfter(position)
      this.#recent.startAt(position.outcomesFrom)
    }
    const reader = new EntryReader()
    await readToEnd(log, {
      topic: topics.records,
      from: [position ? this.#recent.firstOffset : 0],
      onBatch: async ({ records }) => {
        const later: CommittedEntry[] = []
        for (const { value, offset, timestampMs: appendedAtMs } of records) {
          const entry = reader.read(value)
          if (!entry) continue
          if (offset > (position?.offset ?? -1)) later.push({ entry, offset, appendedAtMs })
          else {
            registrar.restoreOutcome(entry, appendedAtMs)
            this.#recent.add(offset, appendedAtMs)
          }
        }
        for (const { entry, appendedAtMs } of later)
          if (entry.commandOffset > registrar.lastCommandOffset) {
            await registrar.applyCooperatively(entry, appendedAtMs)
            await this.#lookups.add(entry.changes)
          }
        if (stored) await this.#project(later)
      },
    })
  }

  /** Retries until the projection has accepted the entries: no further command is decided before. */
  async #project(committed: readonly CommittedEntry[]): Promise<void> {
    for (const { offset, appendedAtMs } of committed) this.#recent.add(offset, appendedAtMs)
    const last = committed.at(-1)
    const { project } = this.#options
    if (!project || !last) return
    const position = {
      commandOffset: last.entry.commandOffset,
      offset: last.offset,
      commandId: last.entry.command.id,
      highestRefs: this.#registrar.highestRefs,
      outcomesFrom: this.#recent.firstOffset,
    }
    const entries = committed.map(({ entry }) => entry)
    const lookups = this.#lookups
    const operations: OperationsById | null = lookups.mustSettle ? null : (...of) => lookups.findOperations(...of)
    const { records } = this.#registrar
    await this.#retryUntilDone('The projection of records', () => project(entries, records, position, operations))
  }

  /** Runs each effect once for all its commands. */
  async #runEffects(effectCommands: readonly Command[]): Promise<void> {
    for (const [name, effect] of this.#effects) {
      const commands = effectCommands.filter(command => command.name === name)
      if (commands.length > 0) await this.#retryUntilDone(name, () => effect(commands))
    }
  }

  /** Retries until the work succeeds; reports a problem after repeated failures. */
  async #retryUntilDone(what: string, work: () => Promise<void>): Promise<void> {
    const { logger, problems, backOffMs = 1000 } = this.#options
    const failure = new RepeatedFailure(problems, `registrar ${what}`)
    const message = `${what} fails repeatedly: commands are not executed. The log of the process contains the error.`
    await retry(work, {
      firstDelayMs: backOffMs,
      maxDelayMs: backOffMs,
      signal: this.#ending,
      onRetry: error => {
        logger.warn({ err: error }, `${what} failed, retrying`)
        failure.failed(error, () => ({ code: 'registrar_failing', message, topic: topics.commands }))
      },
    }).finally(() => failure.ended())
  }
}

/**
 * Serializes an entry. If it exceeds the maximum size, returns the rejection of the command in its place, because an
 * entry that the log rejects would block the topic.
 */
function* encodeInSteps(
  command: Command,
  commandOffset: number,
  decided: Pick<RecordEntry, 'outcome' | 'changes'>,
): Steps<readonly Buffer[]> {
  const { id, deadlineMs, nowMs, companyId, actor, by, name, repeat } = command
  const kept = { id, deadlineMs, nowMs, companyId, actor, ...(by && { by }), name, ...(repeat && { repeat }) }
  const entry: RecordEntry = { command: kept, commandOffset, ...decided }
  const values = yield* encodeEntry(entry)
  if (values.every(({ length }) => length <= maxBytes) && bytesOf(values) <= maxEntryBytes) return values
  const error: CommandError = { status: 400, code: 'TooLarge', message: 'The change is too large', errors: [] }
  return yield* encodeEntry({ ...entry, outcome: { ok: false, error }, changes: [] })
}

/** Decodes an entry; yields to the event loop between its chunks. */
async function decode(values: readonly Buffer[]): Promise<RecordEntry> {
  const reader = new EntryReader()
  const slice = new TimeSlice()
  let entry: RecordEntry | null = null
  for (const value of values) {
    entry = reader.read(value)
    if (slice.isOver) await slice.next()
  }
  if (!entry) throw new Error('Invariant: the chunks of an entry are incomplete')
  return entry
}

function offsetOf(position: Position | undefined): number {
  if (!position) throw new Error('Invariant: the log returns the position of each record')
  return position.offset
}

function bytesOf(values: readonly Buffer[]): number {
  return values.reduce((sum, { length }) => sum + length, 0)
}
