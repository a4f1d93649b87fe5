import type { Item } from '../../../api/reports/present/present.ts'
import { rejectForeignReads } from '../../../clickhouse/tables/company-guard.ts'
import type { Sql } from '../../../clickhouse/sql/sql.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { TestPlant } from './plant-support.ts'
import { type WholeBody, wholeBody } from './whole-body.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { CompanyRef } from '../../../schema/refs.ts'

/** Midnight (UTC) of a Monday, the start of the tests' samples. */
export const midnightMs = Date.parse('2026-03-02T00:00:00.000Z')

/** `hours` after midnight in ISO 8601. */
export function at(hours: number): string {
  return new Date(midnightMs + hours * hourMs).toISOString()
}

export type RecordBody = WholeBody<number | string | null>

/** Requests a report over the two days from midnight, unless the body has a range. */
export async function askFor(
  report: 'downtime' | 'quality' | 'alarm' | 'incident',
  { plant, store, nowMs }: { readonly plant: TestPlant; readonly store: Store; readonly nowMs: number },
  body: object = {},
): Promise<RecordBody> {
  const reports = plant.reports(store, () => nowMs)
  try {
    const asked = { start: at(0), end: at(48), ...body }
    return wholeBody(await reports[report](plant.company.id, asked))
  } finally {
    reports.stop()
  }
}

export function groupBy(...names: readonly string[]): { readonly groupBy: readonly object[] } {
  return { groupBy: names.map(group => ({ group })) }
}

/** Items as [id, values of the aggregate, nested items]. */
export function outline(items: RecordBody['items']): (readonly unknown[])[] {
  return items.map(item => {
    if (!isItem(item)) throw new Error('flat')
    const line = [item.entity.id, ...Object.values(item.aggregate)]
    return item.items ? [...line, outline(item.items)] : line
  })
}

function isItem(item: RecordBody['items'][number]): item is Item<number | string | null> {
  return typeof item['entity'] === 'object'
}

/** The plan of a query in ClickHouse, after the check of its company. */
export async function explain(store: Store, query: Sql, companyRef: CompanyRef): Promise<readonly unknown[]> {
  const checked = rejectForeignReads(query, companyRef)
  return store.query({ parts: ['EXPLAIN ', ...checked.parts] })
}
