import { randomUUID } from 'node:crypto'
import { ApiError, unavailable } from '../../schema/errors.ts'
import { type Log, LogUnavailable } from '../../log/log.ts'
import { type CommandName, commands, type Payload, type Result } from '../../schema/commands/commands.ts'
import type { Actor, Command, Outcome, RequestFingerprint } from '../../schema/commands/command-log.ts'
import { topics } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import type { Records } from '../records/records.ts'

export interface CommandClientOptions {
  readonly log: Log
  /** Cache of the records, which must be following records.v1. */
  readonly records: Records
  /** Default for `SubmitOptions.actor`. */
  readonly actor: string
  /** Returns the current time, UTC ms. Default: `Date.now`. */
  readonly clock?: () => number
  /** Generates UUIDs. Default: `randomUUID`. */
  readonly randomId?: () => string
}

export interface SubmitOptions {
  /** null for a command of the installation itself. */
  readonly companyId: string | null
  readonly actor?: string
  /** Key or user that requested the command, for the audit trail. */
  readonly by?: Actor
  /** Maximum time to wait for the outcome, ms; also sets the deadline of the command. */
  readonly timeoutMs?: number
  /** Identifies repeats of the request, which get the outcome of the first one. */
  readonly repeat?: RequestFingerprint
}

export interface CommandClient {
  /**
   * Sends a command to the registrar. Resolves with its outcome when the store and the local records contain its
   * changes, so that later reads see them. Rejects with an `ApiError` without an outcome: 503 on a timeout (the command
   * may still be executed: retry it), 500 if the command failed because of a bug.
   */
  submit<Name extends CommandName>(
    name: Name,
    payload: Payload<Name>,
    options: SubmitOptions,
  ): Promise<Outcome<Result<Name>>>
  /** Stops reading outcomes; commands in flight reject with 503. */
  close(): void
}

const defaultTimeoutMs = 15_000

/** Number of UUIDs that each command contains. */
const freshIdCount = 4

/** Creates the client that sends commands to the registrar: the only way to change records. */
export function createCommandClient(options: CommandClientOptions): CommandClient {
  const { log, records, clock = Date.now, randomId = randomUUID } = options
  const waiting = new Map<string, (outcome: Outcome | null) => void>()
  const stopListening = records.onEntry(entry => waiting.get(entry.command.id)?.(entry.outcome))

  const awaitOutcome = async (id: string, commands: readonly Command[], timeoutMs: number): Promise<Outcome | null> => {
    // Registered before the command is appended, so that its outcome cannot be missed.
    const received = new Promise<Outcome | null>(resolve => waiting.set(id, resolve))
    const timer = setTimeout(() => waiting.get(id)?.(null), timeoutMs)
    try {
      const appended = append(log, commands)
      // If appending hangs, `received` ends after the timeout; if it fails first, its error rejects.
      return await Promise.race([received, appended.then(() => received)])
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
      const fields = { companyId, actor, ...(by && { by }), ...(repeat && { repeat }), name, payload }
      const command = { id: randomId(), deadlineMs, nowMs, freshIds, ...fields }
      const sent = isChunked(name) && Array.isArray(payload) ? toChunks(command, payload) : [command]
      const outcome = requireOutcome(await awaitOutcome(command.id, sent, timeoutMs), repeat !== undefined)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the registrar returns the result type of the command
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

function toChunks(command: Command, payloads: readonly unknown[]): readonly Command[] {
  return payloads.map((payload, index) => ({ ...command, payload, chunk: { index, count: payloads.length } }))
}

/** Appends the records in one call, which keeps their order. */
async function append(log: Log, commands: readonly Command[]): Promise<void> {
  try {
    await log.append(topics.commands, await encodeCommands(commands))
  } catch (error) {
    if (error instanceof LogUnavailable) throw unavailable('The log is unavailable. Retry later.', 2, error)
    throw error
  }
}

/** Encodes commands; yields to the event loop in between, because a command may have a hundred chunks of 1 MB. */
async function encodeCommands(commands: readonly Command[]): Promise<Appended[]> {
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

/** Returns the outcome of a command; throws if it is missing, or states that the command was not executed. */
function requireOutcome(outcome: Outcome | null, isKeyed: boolean): Outcome {
  if (!outcome)
    throw unavailable(`The change was not confirmed in time and may still be executed. ${retryAdvice(isKeyed)}`)
  if (outcome.ok) return outcome
  const { code, message } = outcome.error
  if (code === 'DeadlinePassed') throw unavailable(`${message}. ${retryAdvice(isKeyed)}`)
  if (code === 'CommandFailed') throw new ApiError(500, code, message)
  return outcome
}

function retryAdvice(isKeyed: boolean): string {
  return isKeyed
    ? 'Repeating it with the same Idempotency-Key is safe'
    : 'To make a POST safe to repeat, send it with an Idempotency-Key: it is then safe to repeat with the same key'
}
