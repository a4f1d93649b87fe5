import type { RebuildResponse } from '../../schema/requests/recomputes.ts'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { RebuildProgress } from '../../schema/topics.ts'

/** Progress of a rebuild: completed partitions from its record, and the published progress of the remaining ones. */
export function rebuildStatus(
  { id, companyId, requestedAt, finishedAt, doneHours }: RebuildRecord,
  told: ReadonlyMap<number, readonly RebuildProgress[]>,
): RebuildResponse {
  const done = Object.values(doneHours).reduce((sum, hours) => sum + hours, 0)
  const others = [...told].filter(([partition]) => !(partition in doneHours))
  const begun = others.flatMap(([, rebuilds]) => rebuilds.filter(each => each.id === id))
  const isKnown = finishedAt !== null || (told.size > 0 && begun.length === others.length)
  return {
    id,
    of: companyId === '' ? 'installation' : 'company',
    requestedAt,
    finishedAt,
    totalHours: isKnown ? done + begun.reduce((sum, { totalHours }) => sum + totalHours, 0) : null,
    doneHours: done + begun.reduce((sum, { totalHours, leftHours }) => sum + totalHours - leftHours, 0),
  }
}
