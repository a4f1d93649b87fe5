import { itemsOf, wholeOf } from '../../support/items-of.ts'
import type { Entities, Item, FlatRow, ReportBody } from '../../../api/reports/present/present.ts'

/** A report's response with all its lists as arrays. */
export interface WholeBody<Value extends number | string | null = number | null> extends Omit<
  ReportBody<Value>,
  'items' | 'entities'
> {
  readonly entities: Entities
  readonly items: readonly (Item<Value> | FlatRow)[]
}

export function wholeBody<Value extends number | string | null>(body: ReportBody<Value>): WholeBody<Value> {
  const items: readonly (Item<Value> | FlatRow)[] = itemsOf(body.items)
  return { ...body, entities: wholeOf(body.entities), items }
}
