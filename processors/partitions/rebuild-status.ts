import type { RebuildResponse } from '../../schema/requests/recomputes.ts'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { RebuildProgress } from '../../schema/topics.ts'

/** Progress of a rebuild: completed partitions from its record, and the published progress of the remaining ones. */
export function rebuildStatus(
  { id, companyId, requestedAt, finishedAt, doneHours }: RebuildRecord,
  published: ReadonlyMap<number, readonly RebuildProgress[]>,
): RebuildResponse {
  const done = Object.values(doneHours).reduce((sum, hours) => sum + hours, 0)
  const remaining = [...published].filter(([partition]) => !(partition in doneHours))
  const started = remaining.flatMap(([, rebuilds]) => rebuilds.filter(each => each.id === id))
  const isKnown = finishedAt !== null || (published.size > 0 && started.length === remaining.length)
  return {
    id,
    of: companyId === '' ? 'installation' : 'company',
    requestedAt,
    finishedAt,
    totalHours: isKnown ? done + started.reduce((sum, { totalHours }) => sum + totalHours, 0) : null,
    doneHours: done + started.reduce((sum, { totalHours, leftHours }) => sum + totalHours - leftHours, 0),
  }
}
