import { statusesAt } from '../clickhouse/read-documents.ts'
import type { LiveStatus } from '../schema/topics.ts'
import type { Foundation } from './foundation.ts'

/** What the stored documents say that every machine does now. */
export async function knownStatuses({ store, records, clock }: Foundation): Promise<readonly LiveStatus[]> {
  const nowMs = clock()
  const companies = await Promise.all(records.companies().map(({ ref }) => statusesAt(store, ref, nowMs)))
  return companies.flatMap(of => [...of].map(([machine, status]) => ({ machine, status, sinceMs: nowMs, faults: [] })))
}
