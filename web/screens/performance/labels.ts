import { isTimeGrouping } from '../../../schema/groupings.ts'
import { type FlatNames, idIn, nameIn, textOf } from '../../data/production.ts'
import type { Locale } from '../../texts/locale.ts'
import type { ProductionGrouping } from './view.ts'

/** Name of a row in one of its groupings, for a reader. */
export function labelOf(row: FlatNames, group: ProductionGrouping, { t, format }: Locale): string {
  const name = nameIn(row, group)
  if (group === 'hour') return format.hour(Date.parse(textOf(row, 'hourStart')))
  if (isTimeGrouping(group)) return format.date(name.slice(0, 10))
  const id = idIn(row, group)
  const absent: Readonly<Record<string, string>> = t.reports.absent
  return id === '' || id === 'none' ? (absent[group] ?? name) : name
}
