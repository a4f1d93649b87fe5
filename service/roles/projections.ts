import type { Records } from '../../processors/records/records.ts'
import type { RegistrarOptions } from '../../processors/registrar/options.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'

/** A table of records that the registrar writes to the store. */
export interface Projection {
  /** Writes the changes of entries; idempotent. */
  project(entries: readonly RecordEntry[], records: Records): Promise<void>
  /** Returns the `commandOffset` up to which the projection contains every entry; -1: none. */
  readProjectedOffset(): Promise<number>
}

/**
 * Combines projections to one. An entry that one of them may lack is written to all of them, because writes are
 * idempotent.
 */
export function combineProjections(
  projections: readonly Projection[],
): Required<Pick<RegistrarOptions, 'project' | 'readProjectedOffset'>> {
  return {
    async readProjectedOffset() {
      const reached = await Promise.all(projections.map(projection => projection.readProjectedOffset()))
      return Math.min(...reached)
    },
    async project(entries, records) {
      await Promise.all(projections.map(projection => projection.project(entries, records)))
    },
  }
}
