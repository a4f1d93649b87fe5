import type { Log } from '../../schema/log.ts'
import type { RecordEntry } from '../../schema/records.ts'

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
