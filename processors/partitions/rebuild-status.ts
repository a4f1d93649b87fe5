import type { RebuildAnswer } from '../../schema/requests/recomputes.ts'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { RebuildProgress } from '../../schema/topics.ts'

/** How far a rebuild is: by what its record says of partitions that are done, and what the others tell. */
export function rebuildStatus(
  { id, companyId, requestedAt, finishedAt, doneHours }: RebuildRecord,
  told: ReadonlyMap<number, readonly RebuildProgress[]>,
): RebuildAnswer {
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
