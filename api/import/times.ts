import { CellFault, shortened } from './cell-fault.ts'
import type { MappedColumn, TimeUnit } from './mappings.ts'
import { tidy } from './numbers.ts'

const toMsOf: Readonly<Record<TimeUnit, (value: number) => number>> = {
  ms: value => value,
  s: value => value * 1000,
  min: value => value * 60_000,
  h: value => value * 3_600_000,
  partsPerHour: value => (value === 0 ? 0 : 3_600_000 / value),
  partsPerMinute: value => (value === 0 ? 0 : 60_000 / value),
}

/** A time in milliseconds. */
export function toMs(value: number, unit: TimeUnit): number {
  return tidy(toMsOf[unit](value))
}

/** The unit that a word of the file means; without a table, the words are the names of the units. Throws a `CellFault`. */
export function readUnit(word: string, { unitFrom = '', units }: Pick<MappedColumn, 'unitFrom' | 'units'>): TimeUnit {
  const table: Readonly<Record<string, TimeUnit>> = units ?? ownNames
  const unit = Object.hasOwn(table, word) ? table[word] : undefined
  if (unit !== undefined) return unit
  const found = word === '' ? 'is empty' : `has '${shortened(word)}'`
  throw new CellFault(
    'InvalidEnum',
    `has no unit: ${unitFrom} ${found}, must be one of ${Object.keys(table).join(', ')}`,
  )
}

const ownNames: Readonly<Record<TimeUnit, TimeUnit>> = {
  ms: 'ms',
  s: 's',
  min: 'min',
  h: 'h',
  partsPerHour: 'partsPerHour',
  partsPerMinute: 'partsPerMinute',
}
