import { randomUUID } from 'node:crypto'
import { ApiError, unavailable } from '../../schema/errors.ts'
import { type Log, LogUnavailable } from '../../log/log.ts'
import { type CommandName, commands, type Payload, type Result } from '../../schema/commands/commands.ts'
import type { Actor, Command, Outcome, RepeatMark } from '../../schema/commands/command-log.ts'
import { topics } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { Records } from '../records/records.ts'

export interface CommandClientOptions {
  readonly log: Log
  /** Must be following records.v1. */
  readonly records: Records
  /** Caller of the command, unless the command names another one. */
  readonly actor: string
  /** UTC ms. */
  readonly clock?: () => number
  /** Draws UUIDs. */
  readonly randomId?: () => string
}

export interface SubmitOptions {
  /** null: the installation itself. */
  readonly companyId: string | null
  readonly actor?: string
  /** Caller of the command, for the audit trail. */
  readonly by?: Actor
  /** How long to wait for the outcome; the command's deadline. */
  readonly timeoutMs?: number
  /** By which a repeat of the request is known: it gets the outcome of the first. */
  readonly repeat?: RepeatMark
}

export interface CommandClient {
  /**
   * Sends a command to the registrar. Resolves with its outcome when the local records contain its changes, so that
   * later reads see them. Rejects with an `ApiError` without an outcome: 503 on a timeout (the command may still be
   * executed: retry it), 500 if the command failed because of a bug.
   */
  submit<Name extends CommandName>(
    name: Name,
    payload: Payload<Name>,
    options: SubmitOptions,
  ): Promise<Outcome<Result<Name>>>
  /** Stops listening; commands in flight reject with 503. */
  close(): void
}

const defaultTimeoutMs = 15_000

/** UUIDs that are drawn with each command. */
const freshIdCount = 4

/** The way to change records. */
export function createCommandClient(options: CommandClientOptions): CommandClient {
  const { log, records, clock = Date.now, randomId = randomUUID } = options
  const waiting = new Map<string, (outcome: Outcome | null) => void>()
  const stopListening = records.onEntry(entry => waiting.get(entry.command.id)?.(entry.outcome))

  const outcomeOf = async (id: string, commands: readonly Command[], timeoutMs: number): Promise<Outcome | null> => {
    // Listening begins before the command can come to anything.
    const heard = new Promise<Outcome | null>(resolve => waiting.set(id, resolve))
    const timer = setTimeout(() => waiting.get(id)?.(null), timeoutMs)
    try {
      const appended = append(log, commands)
      // A log that hangs must not keep the caller past the time; its rejection counts where it comes first.
      return await Promise.race([heard, appended.then(() => heard)])
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }

  return {
    async submit(name, payload, { companyId, actor = options.actor, by, repeat, timeoutMs = defaultTimeoutMs }) {
      const nowMs = clock()
      const freshIds = Array.from({ length: freshIdCount }, randomId)
      const deadlineMs = nowMs + timeoutMs
      const asked = { companyId, actor, ...(by && { by }), ...(repeat && { repeat }), name, payload }
      const command = { id: randomId(), deadlineMs, nowMs, freshIds, ...asked }
      const sent = isChunked(name) && Array.isArray(payload) ? chunksOf(command, payload) : [command]
      const outcome = checkedOutcome(await outcomeOf(command.id, sent, timeoutMs), repeat !== undefined)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registrar answers what the command's contract says
      return outcome as Outcome<Result<typeof name>>
    },
    close() {
      stopListening()
      for (const settle of waiting.values()) settle(null)
    },
  }
}

function isChunked(name: CommandName): boolean {
  return 'isChunked' in commands[name]
}

function chunksOf(command: Command, payloads: readonly unknown[]): readonly Command[] {
  return payloads.map((payload, index) => ({ ...command, payload, chunk: { index, count: payloads.length } }))
}

/** Records of one call keep their order. */
async function append(log: Log, commands: readonly Command[]): Promise<void> {
  try {
    await log.append(topics.commands, await encoded(commands))
  } catch (error) {
    if (error instanceof LogUnavailable) throw unavailable('The log is unavailable. Retry later.', 2, error)
    throw error
  }
}

/** A command may have a hundred chunks of a megabyte: yields to the event loop between them. */
async function encoded(commands: readonly Command[]): Promise<Appended[]> {
  const records: Appended[] = []
  const slice = new TimeSlice()
  for (const command of commands) {
    records.push({ key: command.companyId, value: Buffer.from(JSON.stringify(command)), partition: 0 })
    if (slice.isOver) await slice.next()
  }
  return records
}

interface Appended {
  readonly key: string | null
  readonly value: Buffer
  readonly partition: number
}

/** The outcome of a decided command; throws if there is none. */
function checkedOutcome(outcome: Outcome | null, isKeyed: boolean): Outcome {
  if (!outcome) throw unavailable(`The change was not confirmed in time; it may yet be made. ${safety(isKeyed)}`)
  if (outcome.ok) return outcome
  const { code, message } = outcome.error
  if (code === 'DeadlinePassed') throw unavailable(`${message}. ${safety(isKeyed)}`)
  if (code === 'CommandFailed') throw new ApiError(500, code, message)
  return outcome
}

function safety(isKeyed: boolean): string {
  return isKeyed
    ? 'Repeating it with the same Idempotency-Key is safe'
    : 'A POST that has an Idempotency-Key is safe to repeat with the same key'
}
