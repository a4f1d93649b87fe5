import type { Log } from '../../log/log.ts'
import type { Command, RecordEntry } from '../../schema/commands/command-log.ts'
import type { Problems } from '../../shared/problems.ts'
import type { Records } from '../records/records.ts'

/**
 * Executes commands that change no record but something outside the log. They are executed before their offset is
 * committed, retried until they succeed, and executed again after a crash: implementations must be idempotent and skip
 * unreadable commands. No outcome is published.
 */
export type Effect = (commands: readonly Command[]) => Promise<void>

/** The part of a logger that the registrar needs; pino has it. */
export interface RegistrarLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface RegistrarOptions {
  readonly log: Log
  readonly logger: RegistrarLogger
  /** Where it reports work that fails repeatedly, and commands that it cannot read. */
  readonly problems?: Problems
  /** Writes entries to a projection; `records` hold them already. See `createRegistrarRole`. */
  readonly project?: (entries: readonly RecordEntry[], records: Records) => Promise<void>
  /** `commandOffset` up to which the projection surely has every entry, -1 for none: those after it are projected again on taking over. */
  readonly projectedTo?: () => Promise<number>
  /** Called when it has taken over: `project` has got every entry that the projection may lack. */
  readonly onTakenOver?: () => void
  /**
   * By the name of the command; created for each assignment, so that its cache is valid while this process is the only
   * writer.
   */
  readonly effects?: () => ReadonlyMap<string, Effect>
  /** Pause before joining again after a failure, and before trying a projection again. */
  readonly backOffMs?: number
}
