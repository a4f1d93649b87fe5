import { localTimes } from './display-values.ts'
import type { FileRange, FileReport } from './table.ts'

/**
 * Name of a report's file, which carries its range: `production_2026-03-02_2026-03-08` for shop days, and
 * `production_2026-03-02-0600_2026-03-02-1400` for instants, in the time zone.
 */
export function nameOf(report: FileReport, range: FileRange, timeZone: string): string {
  const [start, end] = range.form === 'days' ? [range.startDay, range.endDay] : localMinutes(range, timeZone)
  return [sheetNameOf(report), start, ...(end === start ? [] : [end])].join('_')
}

/** Name of a report in a workbook and in the names of files. */
export function sheetNameOf(report: FileReport): string {
  return report.replace('/', '-')
}

function localMinutes(range: FileRange & { readonly form: 'instants' }, timeZone: string): readonly string[] {
  const localMs = localTimes(timeZone)
  return [range.startMs, range.endMs].map(atMs => {
    const text = new Date(localMs(String(atMs))).toISOString()
    return `${text.slice(0, 10)}-${text.slice(11, 16).replace(':', '')}`
  })
}
