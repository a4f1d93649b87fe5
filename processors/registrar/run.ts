import type { Batch, Consumer, Log, LogRecord, Transactor } from '../../schema/log.ts'
import type { Command, RecordEntry } from '../../schema/records.ts'
import { groups, topics } from '../../schema/topics.ts'
import { parseEntry } from '../records/follow.ts'
import { parseCommand } from './envelope.ts'
import { Registrar } from './registrar.ts'

/** Commands of one transaction, at most. */
const maxBatch = 200
const transactorId = 'takt-registrar'

/** What is needed of a logger; pino is one. */
export interface RegistrarLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface RegistrarOptions {
  readonly log: Log
  readonly logger: RegistrarLogger
  /** Writes entries to a projection; see `runRegistrar`. */
  readonly project?: (entries: readonly RecordEntry[]) => Promise<void>
  /** `commandOffset` up to which the projection surely has every entry, -1 for none: those after it are projected again on taking over. */
  readonly projectedTo?: () => Promise<number>
  /** Pause before joining again after a failure, and before trying a projection again. */
  readonly backOffMs?: number
}

export interface RunningRegistrar {
  /** Leaves the group after the batch in flight. */
  stop(): Promise<void>
}

/**
 * Runs the registrar: one member of its group at a time reads commands.v1 and writes records.v1. The order of effects, per batch:
 * 1. Each command is decided and its entry folded. Deciding is a function of the entries before it and of the command.
 * 2. `project` gets the entries, and is tried until it succeeds.
 * 3. Entries and input offset are committed in one transaction. Only now anyone sees an outcome.
 * So whoever sees an outcome finds it in the projection. A crash between 2 and 3 leaves the projection ahead of the log by entries
 * that come out the same when they are decided again: rows are versioned by `commandOffset`, so they replace themselves.
 * A crash at any point does nothing twice. Fenced by a newer registrar, or after any other failure, it leaves, forgets what it
 * folded and joins again. The topics must exist.
 */
export function runRegistrar(options: RegistrarOptions): RunningRegistrar {
  const stopping = new AbortController()
  const running = keepRunning(options, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function keepRunning(options: RegistrarOptions, stopping: AbortSignal): Promise<void> {
  const { logger, backOffMs = 1000 } = options
  while (!stopping.aborted) {
    try {
      await runMembership(options, stopping)
    } catch (error) {
      logger.warn({ err: error }, 'The registrar starts again')
      await pause(backOffMs, stopping)
    }
  }
}

/** From joining the group to leaving it; rejects with what went wrong. */
async function runMembership(options: RegistrarOptions, stopping: AbortSignal): Promise<void> {
  const ended = new AbortController()
  const ending = AbortSignal.any([stopping, ended.signal])
  let session: Session | null = null
  const failing = async (work: () => Promise<void>): Promise<void> => {
    try {
      // A batch that is delivered again after a failure must wait for the next membership.
      ending.throwIfAborted()
      await work()
    } catch (error) {
      ended.abort(error)
      throw error
    }
  }
  const consumer: Consumer = await options.log.consume({
    topic: topics.commands,
    group: groups.registrar,
    onAssigned: () =>
      failing(async () => {
        await session?.close()
        session = await Session.open(options, ending)
      }),
    onRevoked: async () => {
      await session?.close()
      session = null
    },
    onBatch: batch =>
      failing(async () => {
        if (!session) throw new Error('Commands of a partition that is not assigned')
        await session.take(batch)
      }),
  })
  await aborted(ending)
  await consumer.stop()
  await closeQuietly(session)
  if (ended.signal.aborted && !stopping.aborted) throw ended.signal.reason
}

/** An assignment: the fold as it stands, and the right to write. */
class Session {
  readonly #registrar: Registrar
  readonly #transactor: Transactor
  readonly #options: RegistrarOptions
  readonly #ending: AbortSignal

  private constructor(registrar: Registrar, transactor: Transactor, options: RegistrarOptions, ending: AbortSignal) {
    this.#registrar = registrar
    this.#transactor = transactor
    this.#options = options
    this.#ending = ending
  }

  /** The transactor first: it fences the one before, so that what is folded then is all there is. */
  static async open(options: RegistrarOptions, ending: AbortSignal): Promise<Session> {
    const transactor = await options.log.transactor(transactorId)
    try {
      const session = new Session(new Registrar(), transactor, options, ending)
      await session.#fold()
      return session
    } catch (error) {
      await transactor.close()
      throw error
    }
  }

  async take({ partition, records }: Batch): Promise<void> {
    for (let first = 0; first < records.length; first += maxBatch)
      await this.#takeSome(partition, records.slice(first, first + maxBatch))
  }

  close(): Promise<void> {
    return this.#transactor.close()
  }

  async #takeSome(partition: number, commands: readonly LogRecord[]): Promise<void> {
    const last = commands.at(-1)
    if (!last) return
    const entries = commands.flatMap(record => this.#decide(record))
    await this.#project(entries)
    await this.#transactor.commit(
      entries.map(entry => ({
        topic: topics.records,
        partition: 0,
        key: entry.command.companyId,
        value: Buffer.from(JSON.stringify(entry)),
      })),
      { group: groups.registrar, topic: topics.commands, partition, offset: last.offset + 1 },
    )
  }

  /** Commands that are folded already, or can't be read, come to nothing. */
  #decide(record: LogRecord): RecordEntry[] {
    if (record.offset <= this.#registrar.lastCommandOffset) return []
    const command = this.#parse(record)
    if (!command) return []
    const { outcome, changes, failure } = this.#registrar.decide(command, record.timestampMs)
    if (failure !== undefined) this.#options.logger.error({ err: failure, command: command.name }, 'A command failed')
    const { id, deadlineMs, nowMs, companyId, actor, name } = command
    const decided: RecordEntry = {
      command: { id, deadlineMs, nowMs, companyId, actor, name },
      commandOffset: record.offset,
      outcome,
      changes,
    }
    // What is folded is what will be read, to the letter.
    const entry = parseEntry(Buffer.from(JSON.stringify(decided)))
    this.#registrar.apply(entry, record.timestampMs)
    return [entry]
  }

  #parse({ value, offset }: LogRecord): Command | null {
    try {
      return parseCommand(value)
    } catch (error) {
      this.#options.logger.error({ err: error, offset }, 'This is no command')
      return null
    }
  }

  async #fold(): Promise<void> {
    const { log, projectedTo } = this.#options
    const to = (await projectedTo?.()) ?? Infinity
    const follower = await log.follow({
      topic: topics.records,
      from: 'earliest',
      onBatch: async ({ records }) => {
        const read = records.map(record => ({ entry: parseEntry(record.value), record }))
        await this.#project(read.map(({ entry }) => entry).filter(({ commandOffset }) => commandOffset > to))
        for (const { entry, record } of read)
          if (entry.commandOffset > this.#registrar.lastCommandOffset) this.#registrar.apply(entry, record.timestampMs)
      },
    })
    try {
      await follower.caughtUp
    } finally {
      await follower.stop()
    }
  }

  /** Tried until it succeeds: nothing may be seen that isn't projected. */
  async #project(entries: readonly RecordEntry[]): Promise<void> {
    const { project, logger, backOffMs = 1000 } = this.#options
    if (!project || entries.length === 0) return
    for (;;) {
      try {
        await project(entries)
        return
      } catch (error) {
        logger.warn({ err: error }, 'The projection of records failed; it is tried again')
      }
      await pause(backOffMs, this.#ending)
      this.#ending.throwIfAborted()
    }
  }
}

async function closeQuietly(session: Session | null): Promise<void> {
  try {
    await session?.close()
  } catch {
    // A transactor that was fenced or has lost its log has nothing left to close.
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>(resolve => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
}
