import type { DowntimeRecordResponse, MicrostopsResponse } from '../../../schema/requests/downtime-records.ts'
import { type CellValue, serialDays } from '../../../shared/workbook/sheet-xml.ts'
import type { Sheet } from '../../data/workbook.ts'
import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'

/** Content of a file of stops. */
export interface StopsOfFile {
  readonly stops: readonly DowntimeRecordResponse[]
  readonly microstops: readonly MicrostopsResponse[]
  readonly nameOf: (machineId: string) => string
}

/** A cell of a file of stops; times are `YYYY-MM-DD HH:mm:ss`. */
type Cell = string | number | null

/** Rows of a file of stops with a header, durations in minutes; the short stops of a machine are one row. */
export function stopsTable(
  { stops, microstops, nameOf }: StopsOfFile,
  { t, format }: { readonly t: Texts; readonly format: Format },
): readonly (readonly Cell[])[] {
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

/** How a workbook displays the columns of the table. */
const formats = ['text', 'dateTime', 'dateTime', 'decimals', 'integer', 'text', 'text'] as const

/** The table as a sheet of a workbook, with times that a spreadsheet can calculate with. */
export function stopsSheet(table: readonly (readonly Cell[])[], t: Texts): Sheet {
  const [titles = [], ...rows] = table
  return {
    name: t.downtime.list,
    formats,
    titles: titles.map(String),
    rows: rows.map(row => row.map((cell, i) => (formats[i] === 'dateTime' ? timeCell(cell) : cell))),
  }
}

/** A local time as a number of days; a word such as "Ongoing" stays a text. */
function timeCell(cell: Cell): CellValue {
  const localMs = Date.parse(`${String(cell).replace(' ', 'T')}Z`)
  return Number.isFinite(localMs) ? serialDays(localMs) : cell
}

function toMinutes(ms: number): number {
  return Math.round(ms / 6000) / 10
}

/** Name of the reason of a stop, in words for a stop without one. */
export function reasonText({ reasonId, reason }: DowntimeRecordResponse, { reports }: Texts): string {
  if (reasonId === 'uncategorized' || reasonId === 'setup') return reports.absent[reasonId]
  return reason
}
