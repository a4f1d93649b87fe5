import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'

/** Parts of the process that routes of several families need; a family's own stand in its files. */

/** Records as this process knows them. */
export interface RecordsPort {
  /** Followed from records.v1. */
  readonly records: Records
}

/** Records, also those that another process has just made. */
export interface LookUpPort extends RecordsPort {
  /**
   * Resolves when the records hold all that is in the log now: another process may have written something a moment ago.
   */
  readonly catchUpRecords: () => Promise<void>
}

/** Sends commands to the registrar. */
export interface CommandsPort {
  readonly commands: Pick<CommandClient, 'submit'>
}

export interface ClockPort {
  /** UTC ms. */
  readonly clock: () => number
}
