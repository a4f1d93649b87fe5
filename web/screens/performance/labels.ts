import { isTimeGrouping } from '../../../schema/groupings.ts'
import { type FlatNames, shownName, textOf } from '../../data/production.ts'
import type { Locale } from '../../texts/locale.ts'
import type { ProductionGrouping } from './view.ts'

/** Name of a row in one of its groupings, for a reader. */
export function labelOf(row: FlatNames, group: ProductionGrouping, { t, format }: Locale): string {
  if (group === 'hour') return format.hour(Date.parse(textOf(row, 'hourStart')))
  if (isTimeGrouping(group)) return format.date(textOf(row, group).slice(0, 10))
  return shownName(row, group, t)
}
