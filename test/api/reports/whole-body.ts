import { itemsOf } from '../../support/items-of.ts'
import type { Item, FlatRow, ReportBody } from '../../../api/reports/present.ts'

/** A report's answer with all its items made. */
export interface WholeBody<Value extends number | string | null = number | null> extends Omit<
  ReportBody<Value>,
  'items'
> {
  readonly items: readonly (Item<Value> | FlatRow)[]
}

export function wholeBody<Value extends number | string | null>(body: ReportBody<Value>): WholeBody<Value> {
  const items: readonly (Item<Value> | FlatRow)[] = itemsOf(body.items)
  return { ...body, items }
}
