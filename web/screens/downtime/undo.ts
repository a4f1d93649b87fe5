import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'

/** Part of a downtime record that tells whether it stays as long as it is. */
export type TimeSpan = Pick<DowntimeRecordResponse, 'id' | 'machineId' | 'startAt' | 'endAt' | 'reasonId'>

/**
 * Whether changed records, with the reasons that they get, remain records of their own. Records that touch and have one reason become
 * one: then no request can name the changed part alone. `others`: the records that the change leaves as they are.
 */
export function stayApart(changed: readonly TimeSpan[], others: readonly TimeSpan[]): boolean {
  const all = [...changed, ...others]
  return changed.every(one => all.every(other => one === other || !areOne(one, other)))
}

/** The records that lie between the first and the last of the chosen ones. */
export function between(chosen: readonly TimeSpan[], others: readonly TimeSpan[]): readonly TimeSpan[] {
  const starts = chosen.map(({ startAt }) => startAt).sort()
  const [first = '', last = ''] = [starts[0], starts.at(-1)]
  return others.filter(({ startAt }) => startAt > first && startAt < last)
}

function areOne(a: TimeSpan, b: TimeSpan): boolean {
  if (a.machineId !== b.machineId || assignedReason(a) !== assignedReason(b)) return false
  return a.endAt === b.startAt || b.endAt === a.startAt
}

/** The reason that a user assigned. Without one, the report may change to setup at any time. */
function assignedReason({ reasonId }: TimeSpan): string {
  return /^\d+$/.test(reasonId) ? reasonId : ''
}
