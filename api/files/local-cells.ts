import { createZone } from '../../processors/calendar/zone.ts'
import type { FileColumn, ColumnKind } from './table.ts'
import { hourMs } from '../../shared/time/units.ts'

/** Converts the plain text of a cell to its localized form; an empty cell stays empty. */
export type CellText = (text: string) => string

/** Title of a column with its unit. */
export function localTitle({ title, kind }: FileColumn): string {
  const unit = units[kind]
  return unit === null ? title : `${title} (${unit})`
}

const units: Readonly<Record<ColumnKind, string | null>> = {
  text: null,
  date: null,
  instant: null,
  number: null,
  integer: null,
  ms: 'h',
  msPerPart: 's',
  ratio: '%',
  rate: null,
}

/**
 * Instants in the time zone (`YYYY-MM-DD HH:mm:ss`), times as hours with two decimals, rates with two, ratios as
 * percent with one.
 */
export function localCell(kind: ColumnKind, timeZone: string): CellText {
  const convert = converters[kind](timeZone)
  return text => (text === '' ? '' : convert(text))
}

const converters: Readonly<Record<ColumnKind, (timeZone: string) => CellText>> = {
  text: () => same,
  number: () => same,
  integer: () => same,
  date: () => text => text.slice(0, 10),
  instant: timeZone => localInstant(timeZone),
  ms: () => text => (Number(text) / hourMs).toFixed(2),
  // Seconds, because a part takes a small fraction of an hour.
  msPerPart: () => text => (Number(text) / 1000).toFixed(2),
  ratio: () => text => (Number(text) * 100).toFixed(1),
  rate: () => text => Number(text).toFixed(2),
}

function same(text: string): string {
  return text
}

function localInstant(timeZone: string): CellText {
  const zone = createZone(timeZone)
  return text => {
    const atMs = /^-?\d+$/.test(text) ? Number(text) : Date.parse(text)
    return new Date(atMs + zone.offsetMs(atMs)).toISOString().slice(0, 19).replace('T', ' ')
  }
}
