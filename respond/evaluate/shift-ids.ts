import type { Records } from '../../processors/records/records.ts'

/** Returns the ids of the shifts of a company by `ref`. */
export function shiftIdsOf(records: Records, companyId: string): ReadonlyMap<number, string> {
  const shifts = records
    .list('schedule', companyId)
    .flatMap(({ versions, exceptions }) => [...versions, ...exceptions].flatMap(({ shifts }) => shifts))
  return new Map(shifts.map(({ ref, id }) => [ref, id]))
}
