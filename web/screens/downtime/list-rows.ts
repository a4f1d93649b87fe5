import type { DowntimeRecordResponse, MicrostopsResponse } from '../../../schema/requests/downtime-records.ts'

/** Most stops that the list shows, and most machines with short stops. */
export const maxRows = 200

/** A row of the list: a stop, or the short stops of a machine together. */
export type ListRow = StopRow | ShortStopsRow

export interface StopRow {
  readonly kind: 'stop'
  readonly id: string
  readonly machineId: string
  readonly inRangeMs: number
  readonly stop: DowntimeRecordResponse
}

export interface ShortStopsRow extends Omit<MicrostopsResponse, 'recordCount'> {
  readonly kind: 'short'
  readonly id: string
  readonly count: number
}

/**
 * Single stops in an order, then the short stops of each machine, the greatest total first: they are seldom assigned one
 * by one, and those of many machines must not displace a stop. Of each kind at most `maxRows`.
 */
export function listRows(
  stops: readonly DowntimeRecordResponse[],
  microstops: readonly MicrostopsResponse[],
  order: 'start' | 'duration',
): readonly ListRow[] {
  const single = stops.map((stop): StopRow => ({
    kind: 'stop',
    id: stop.id,
    machineId: stop.machineId,
    inRangeMs: stop.inRangeMs,
    stop,
  }))
  const short = microstops.map(({ recordCount, ...sums }): ShortStopsRow => ({
    kind: 'short',
    id: `${sums.machineId}_short`,
    count: recordCount,
    ...sums,
  }))
  const first = single.toSorted(order === 'duration' ? longestFirst : latestFirst)
  return [...first.slice(0, maxRows), ...short.toSorted(longestFirst).slice(0, maxRows)]
}

function longestFirst(a: ListRow, b: ListRow): number {
  return b.inRangeMs - a.inRangeMs
}

function latestFirst(a: StopRow, b: StopRow): number {
  return Date.parse(b.stop.startAt) - Date.parse(a.stop.startAt)
}

/** Number of stops in rows. */
export function countStops(rows: readonly ListRow[]): number {
  return rows.reduce((sum, row) => sum + (row.kind === 'stop' ? 1 : row.count), 0)
}

/** The single stops of rows. */
export function stopsIn(rows: readonly ListRow[]): readonly DowntimeRecordResponse[] {
  return rows.flatMap(row => (row.kind === 'stop' ? [row.stop] : []))
}

/** Whether rows are single stops of one machine, and more than one. */
export function canMerge(rows: readonly ListRow[]): boolean {
  const stops = stopsIn(rows)
  return (
    stops.length > 1 &&
    stops.length === rows.length &&
    stops.every(({ machineId }) => machineId === stops[0]?.machineId)
  )
}

/** Whether rows are one single stop. */
export function canSplit(rows: readonly ListRow[]): boolean {
  return rows.length === 1 && rows[0]?.kind === 'stop'
}
