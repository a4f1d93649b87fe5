import type { Records } from '../../processors/records/records.ts'
import type { RegistrarOptions } from '../../processors/registrar/options.ts'
import type { RecordEntry } from '../../schema/commands/command-log.ts'

/** A copy of the records that the registrar keeps in the store, beside the log. */
export interface Projection {
  /** Idempotent. */
  project(entries: readonly RecordEntry[], records: Records): Promise<void>
  /** `commandOffset` up to which every entry is in it; -1: none. */
  projectedTo(): Promise<number>
}

/** Several projections as one. An entry that one of them may lack is written to all of them, which does no harm. */
export function combine(
  projections: readonly Projection[],
): Required<Pick<RegistrarOptions, 'project' | 'projectedTo'>> {
  return {
    async projectedTo() {
      const reached = await Promise.all(projections.map(projection => projection.projectedTo()))
      return Math.min(...reached)
    },
    async project(entries, records) {
      await Promise.all(projections.map(projection => projection.project(entries, records)))
    },
  }
}
