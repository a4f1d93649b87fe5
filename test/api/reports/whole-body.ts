import type { Item, FlatRow, ReportBody } from '../../../api/reports/present.ts'

/** A report's answer with all its items made. */
export interface WholeBody<Value extends number | string | null = number | null> extends ReportBody<Value> {
  readonly items: readonly (Item<Value> | FlatRow)[]
}

export function wholeBody<Value extends number | string | null>(body: ReportBody<Value>): WholeBody<Value> {
  return { ...body, items: [...body.items] }
}
