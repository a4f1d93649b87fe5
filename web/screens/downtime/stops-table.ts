import type { DowntimeRecordResponse, MicrostopsResponse } from '../../../schema/requests/downtime-records.ts'
import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'

/** Content of a file of stops. */
export interface StopsOfFile {
  readonly stops: readonly DowntimeRecordResponse[]
  readonly microstops: readonly MicrostopsResponse[]
  readonly nameOf: (machineId: string) => string
}

/** Rows of a file of stops with a header, durations in minutes; the short stops of a machine are one row. */
export function stopsTable(
  { stops, microstops, nameOf }: StopsOfFile,
  { t, format }: { readonly t: Texts; readonly format: Format },
): readonly (readonly (string | number | null)[])[] {
  const words = t.downtime
  const { terms } = t
  return [
    [terms.machine, terms.start, words.end, words.minutes, words.stopCount, terms.reason, terms.note],
    ...stops.map(stop => [
      nameOf(stop.machineId),
      format.sortable(stop.startAt),
      stop.endAt === null ? words.running : format.sortable(stop.endAt),
      toMinutes(stop.inRangeMs),
      1,
      reasonText(stop, t),
      stop.note,
    ]),
    ...microstops.map(({ machineId, recordCount, inRangeMs, microstopMs }) => [
      nameOf(machineId),
      '',
      '',
      toMinutes(inRangeMs),
      recordCount,
      '',
      `${words.shortStops(format.count(recordCount))}, ${words.shorterThan(format.limit(microstopMs))}`,
    ]),
  ]
}

function toMinutes(ms: number): number {
  return Math.round(ms / 6000) / 10
}

/** Name of the reason of a stop, in words for a stop without one. */
export function reasonText({ reasonId, reason }: DowntimeRecordResponse, { reports }: Texts): string {
  if (reasonId === 'uncategorized' || reasonId === 'setup') return reports.absent[reasonId]
  return reason
}
