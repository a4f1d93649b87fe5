import type { ScheduleRecord, ShiftTimes } from '../../../schema/records/schedule.ts'
import { shiftsOf } from '../deciding/refs.ts'

type Identity = Pick<ShiftTimes, 'id' | 'ref'>
type Named = Pick<ShiftTimes, 'name'> & { readonly id?: string }

/**
 * Assigns ids and refs to the shifts of a schedule. A requested id is kept. A shift without an id gets the id of the
 * shift with the same name (and the same position among shifts of this name in its version), in the stored schedule or
 * in the request; otherwise a new id. A repeated request without ids therefore changes nothing. Call the returned
 * function for each version and exception, in the order of the request.
 */
export function shiftIdentities(
  before: ScheduleRecord | null,
  sent: readonly (readonly Named[])[],
  freshId: () => string,
  nextRef: () => number,
): (shifts: readonly Named[]) => Identity[] {
  const refs = new Map<string, number>(before ? shiftsOf(before).map(({ id, ref }) => [id, ref]) : [])
  const ids = new Map<string, string>()
  const groups: readonly (readonly Named[])[] = [
    ...sent,
    ...[...(before?.versions ?? []), ...(before?.exceptions ?? [])].map(({ shifts }) => shifts),
  ]
  for (const shifts of groups) addIds(shifts, ids)

  const refOf = (id: string): number => {
    const ref = refs.get(id) ?? nextRef()
    refs.set(id, ref)
    return ref
  }
  return shifts => {
    const usedIds = new Set(shifts.flatMap(({ id }) => (id === undefined ? [] : [id])))
    return shiftKeys(shifts).map(([key, ownId]) => {
      const known = ids.get(key)
      const id = ownId ?? (known !== undefined && !usedIds.has(known) ? known : freshId())
      usedIds.add(id)
      if (!ids.has(key)) ids.set(key, id)
      return { id, ref: refOf(id) }
    })
  }
}

function addIds(shifts: readonly Named[], ids: Map<string, string>): void {
  for (const [key, id] of shiftKeys(shifts)) if (id !== undefined && !ids.has(key)) ids.set(key, id)
}

/** Returns a key of each shift (its name, with its position among the shifts of this name), and its id. */
function shiftKeys(shifts: readonly Named[]): (readonly [key: string, id: string | undefined])[] {
  const counts = new Map<string, number>()
  return shifts.map(({ name, id }) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return [`${count} ${name}`, id] as const
  })
}
