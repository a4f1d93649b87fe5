import { createZone } from '../../processors/calendar/zone.ts'
import type { Language } from '../../schema/languages.ts'
import { hourMs } from '../../shared/time/units.ts'
import { titleOf } from './titles.ts'
import type { ColumnKind, FileColumn } from './table.ts'

/** How people read the numbers of a kind: their unit, the number in it, and its decimals. */
interface DisplayNumber {
  readonly unit: string | null
  readonly convert: (value: number) => number
  readonly decimals: number
}

/** The kinds whose numbers people read in another form than that of the report. */
export const displayNumbers: Readonly<Partial<Record<ColumnKind, DisplayNumber>>> = {
  ms: { unit: 'h', convert: ms => ms / hourMs, decimals: 2 },
  // Seconds, because a part takes a small fraction of an hour.
  msPerPart: { unit: 's', convert: ms => ms / 1000, decimals: 2 },
  ratio: { unit: '%', convert: ratio => ratio * 100, decimals: 1 },
  rate: { unit: null, convert: rate => rate, decimals: 2 },
}

/** The person for whom a file is made. */
export interface FileReader {
  /** Time zone of the company. */
  readonly timeZone: string
  readonly language: Language
}

/** Title of a column with the unit of its numbers. */
export function titleWithUnit(column: FileColumn, language: Language): string {
  const title = titleOf(column, language)
  const unit = displayNumbers[column.kind]?.unit ?? null
  return unit === null ? title : `${title} (${unit})`
}

/** Returns a function from the text of an `instant`, ISO or UTC ms, to local ms: as if the local time were UTC. */
export function localTimes(timeZone: string): (text: string) => number {
  const zone = createZone(timeZone)
  return text => {
    const atMs = /^-?\d+$/.test(text) ? Number(text) : Date.parse(text)
    return atMs + zone.offsetMs(atMs)
  }
}
