import { machineRef, narrow, wide } from '../../clickhouse/client/kinds.ts'
import { rows } from '../../clickhouse/client/rows.ts'
import type { DowntimeRecordsQuery, MicrostopsResponse } from '../../schema/requests/downtime-records.ts'
import { compileMicrostopSums } from './compile/microstop-sums.ts'
import type { DocumentReads } from './compile/select.ts'
import { recordsRequest } from './downtime-records/request.ts'
import { downtimeReport } from './downtime.ts'
import { planReport, type ReportQueries } from './pipeline.ts'
import { selectSources } from './sources/sources.ts'

/** Number and time in the range of the microstops of each machine that has some. Rejects as reports do. */
export async function readMicrostops(
  query: DowntimeRecordsQuery,
  context: DocumentReads & ReportQueries,
): Promise<readonly MicrostopsResponse[]> {
  const { view, store, options } = context
  const { range } = recordsRequest(query, view)
  const filters = {
    ...(query.machineId && { machine: query.machineId }),
    ...(query.reason && { reason: query.reason }),
  }
  const request = { report: 'downtime', range: { form: 'instants', ...range }, groupBy: ['machine'], filters } as const
  const plan = await planReport(downtimeReport, { ...request, file: null, flatten: true }, view, context)
  if (plan.matchesNothing || plan.microstops.size === 0) return []
  const sources = await selectSources(plan, downtimeReport.sources, view, context)
  const shape = { machineRef, recordCount: narrow, totalMs: wide }
  const sums = await rows(store, compileMicrostopSums(plan, sources), shape, options)
  return sums.map(({ machineRef: ref, recordCount, totalMs }) => ({
    machineId: view.machine(ref)?.id ?? '',
    microstopMs: view.microstops.get(ref) ?? 0,
    recordCount,
    inRangeMs: totalMs,
  }))
}
