import { reportDamagedRecord } from '../../log/damaged-record.ts'
import type { Batch, LogRecord, Transactor } from '../../log/log.ts'
import type { Command, CommandError, RecordEntry } from '../../schema/commands/command-log.ts'
import { groups, topics } from '../../schema/topics.ts'
import { EntryReader, encodingEntry } from '../records/entry-codec.ts'
import { runCooperatively, type Steps } from '../../shared/async/steps.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { CommandChunks } from './command-chunks.ts'
import { parseCommand } from './envelope.ts'
import type { Effect, RegistrarOptions } from './options.ts'
import { Registrar } from './registrar.ts'
import { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import { retry } from '../../shared/async/retry.ts'

const transactorId = 'takt-registrar'
/** Bound of one transaction. */
const maxCommands = 200
/**
 * Bound of one record of the log (topics on Kafka take 8 MiB), and of one transaction, unless it holds a single entry that is
 * larger.
 */
const maxBytes = 7_500_000
/** Bound of one entry, in however many records. */
const maxEntryBytes = 256 << 20

interface EncodedEntry {
  readonly entry: RecordEntry
  readonly values: readonly Buffer[]
}

/** The outcome of a command (nothing, where it is known already), and where the input is after it. */
interface Decided {
  readonly end: number
  /** Where reading starts again: before `end` where that lies within a command of several chunks. */
  readonly nextOffset: number
  readonly entries: readonly EncodedEntry[]
  /** A command that changes something other than records. */
  readonly asked: Command | null
}

/** Processes the commands of one assignment: owns the current records and the right to write. */
export class CommandProcessor {
  readonly #registrar: Registrar
  readonly #transactor: Transactor
  readonly #options: RegistrarOptions
  readonly #ending: AbortSignal
  readonly #effects: ReadonlyMap<string, Effect>
  readonly #chunks = new CommandChunks()

  private constructor(registrar: Registrar, transactor: Transactor, options: RegistrarOptions, ending: AbortSignal) {
    this.#registrar = registrar
    this.#transactor = transactor
    this.#options = options
    this.#ending = ending
    this.#effects = options.effects?.() ?? new Map<string, Effect>()
  }

  /** The transactor first: it fences the one before, so that what is folded then is all there is. */
  static async open(options: RegistrarOptions, ending: AbortSignal): Promise<CommandProcessor> {
    const transactor = await options.log.transactor(transactorId, { topics: [topics.records], group: groups.registrar })
    try {
      const processor = new CommandProcessor(new Registrar(), transactor, options, ending)
      await processor.#fold()
      options.onTakenOver?.()
      return processor
    } catch (error) {
      await transactor.close()
      throw error
    }
  }

  /** Decides the commands, in transactions of a bounded size. */
  async take({ partition, records }: Batch): Promise<void> {
    let pending: Decided[] = []
    let bytes = 0
    const slice = new TimeSlice()
    for (const record of records) {
      const { entries, asked } = await this.#decide(record)
      // Chunks of a command are large: yields to the event loop between them.
      if (slice.isOver) await slice.next()
      const more = entries.reduce((sum, { values }) => sum + bytesOf(values), asked ? record.value.length : 0)
      if (pending.length === maxCommands || bytes + more > maxBytes) {
        await this.#commit(partition, pending)
        pending = []
        bytes = 0
      }
      const end = record.offset + 1
      pending.push({ end, nextOffset: Math.min(end, this.#chunks.heldFrom), entries, asked })
      bytes += more
    }
    await this.#commit(partition, pending)
  }

  close(): Promise<void> {
    return this.#transactor.close()
  }

  async #commit(partition: number, decided: readonly Decided[]): Promise<void> {
    const last = decided.at(-1)
    if (!last) return
    const entries = decided.flatMap(each => each.entries)
    const asked = decided.flatMap(each => each.asked ?? [])
    // Chunks of a command alone: more is to come before there is anything to tell.
    if (entries.length === 0 && asked.length === 0 && last.nextOffset < last.end) return
    await this.#project(entries.map(({ entry }) => entry))
    await this.#affect(asked)
    await this.#transactor.commit(
      entries.flatMap(({ entry, values }) =>
        values.map(value => ({ topic: topics.records, partition: 0, key: entry.command.companyId, value })),
      ),
      { group: groups.registrar, topic: topics.commands, partition, offset: last.nextOffset },
    )
  }

  /** Commands that are folded already, or can't be read, come to nothing. */
  async #decide(record: LogRecord): Promise<Pick<Decided, 'entries' | 'asked'>> {
    const nothing = { entries: [], asked: null }
    const command = this.#whole(record)
    const commandOffset = record.offset + (this.#registrar.records.installation()?.commandOffsetBase ?? 0)
    if (!command || commandOffset <= this.#registrar.lastCommandOffset) return nothing
    if (this.#effects.has(command.name)) return { entries: [], asked: command }
    const { failure, ...decided } = await runCooperatively(this.#registrar.deciding(command, record.timestampMs))
    if (failure !== undefined) this.#options.logger.error({ err: failure, command: command.name }, 'A command failed')
    const values = await runCooperatively(encoding(command, commandOffset, decided))
    // The entry that is folded is the one that will be read, to the letter.
    const entry = await decode(values)
    await this.#registrar.applyInTurns(entry, record.timestampMs)
    return { entries: [{ entry, values }], asked: null }
  }

  /** The command that ends with this record. Chunks are gathered even where it is folded already: the next one may need its offset. */
  #whole(record: LogRecord): Command | null {
    this.#chunks.forgetLate(record.timestampMs)
    const command = this.#parse(record)
    if (!command?.chunk) return command
    return this.#chunks.take(command, command.chunk.index, command.chunk.count, record.offset)
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
        why: 'it is not a command',
      })
      return null
    }
  }

  async #fold(): Promise<void> {
    const { log, projectedTo } = this.#options
    const to = (await projectedTo?.()) ?? Infinity
    const reader = new EntryReader()
    const follower = await log.follow({
      topic: topics.records,
      from: 'earliest',
      onBatch: async ({ records }) => {
        const read = records.flatMap(record => {
          const entry = reader.read(record.value)
          return entry ? [{ entry, record }] : []
        })
        for (const { entry, record } of read)
          if (entry.commandOffset > this.#registrar.lastCommandOffset)
            await this.#registrar.applyInTurns(entry, record.timestampMs)
        await this.#project(read.map(({ entry }) => entry).filter(({ commandOffset }) => commandOffset > to))
      },
    })
    try {
      await follower.caughtUp
    } finally {
      await follower.stop()
    }
  }

  /** Nothing may be seen that isn't projected, or on its way so that readers wait for it. */
  async #project(entries: readonly RecordEntry[]): Promise<void> {
    const { project } = this.#options
    if (project && entries.length > 0)
      await this.#insist('The projection of records', () => project(entries, this.#registrar.records))
  }

  /** Commands of one name are done together. */
  async #affect(asked: readonly Command[]): Promise<void> {
    for (const [name, effect] of this.#effects) {
      const commands = asked.filter(command => command.name === name)
      if (commands.length > 0) await this.#insist(name, () => effect(commands))
    }
  }

  /** Tried until it succeeds. */
  async #insist(what: string, work: () => Promise<void>): Promise<void> {
    const { logger, problems, backOffMs = 1000 } = this.#options
    const failure = new RepeatedFailure(problems, `registrar ${what}`)
    const message = `${what} fails repeatedly: changes of records are not decided. The log of the process has the error.`
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

/** Serializes an entry. An entry that exceeds the limit of the log is rejected: it would block the topic for ever. */
function* encoding(
  command: Command,
  commandOffset: number,
  decided: Pick<RecordEntry, 'outcome' | 'changes'>,
): Steps<readonly Buffer[]> {
  const { id, deadlineMs, nowMs, companyId, actor, by, name, repeat } = command
  const kept = { id, deadlineMs, nowMs, companyId, actor, ...(by && { by }), name, ...(repeat && { repeat }) }
  const entry: RecordEntry = { command: kept, commandOffset, ...decided }
  const values = yield* encodingEntry(entry)
  if (values.every(({ length }) => length <= maxBytes) && bytesOf(values) <= maxEntryBytes) return values
  const error: CommandError = { status: 400, code: 'TooLarge', message: 'The change is too large', errors: [] }
  return yield* encodingEntry({ ...entry, outcome: { ok: false, error }, changes: [] })
}

/** In turns, as a large entry has many chunks. */
async function decode(values: readonly Buffer[]): Promise<RecordEntry> {
  const reader = new EntryReader()
  const slice = new TimeSlice()
  let entry: RecordEntry | null = null
  for (const value of values) {
    entry = reader.read(value)
    if (slice.isOver) await slice.next()
  }
  if (!entry) throw new Error('invariant: an entry ends with its last chunk')
  return entry
}

function bytesOf(values: readonly Buffer[]): number {
  return values.reduce((sum, { length }) => sum + length, 0)
}
