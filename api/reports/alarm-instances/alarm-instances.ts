import type { AlarmInstancesAnswer } from '../../../schema/requests/alarm-instances.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { Files } from '../../files/files.ts'
import { exportReport } from '../../files/export-report.ts'
import type { CompanyView } from '../company/company-view.ts'
import { readNativeCodes } from '../groupings/native-codes.ts'
import { mapQueryLimitErrors } from '../query/map-query-limit-errors.ts'
import { createQueryContext, type QueryContext, type QueryDeps } from '../query/query-context.ts'
import { parseAlarmInstances } from './parse.ts'
import { nativeCodeIds, planAlarmInstances } from './plan.ts'
import { presentInstances } from './present.ts'
import type { AlarmInstancesRequest } from './request.ts'
import { readInstances } from './run.ts'
import { instancesTable } from './table.ts'

interface AlarmInstancesDeps extends QueryDeps {
  /** Stores pages as files. */
  readonly files: Pick<Files, 'keep'>
}

/**
 * Creates a page of a company's alarm instances from the body of its request, and its file if the request names one. Rejects with an
 * `ApiError`: 400 with every field error, 503 if the processors lag too far; or with a `StoreError`.
 */
export async function reportAlarmInstances(
  body: unknown,
  view: CompanyView,
  deps: AlarmInstancesDeps,
  signal?: AbortSignal,
): Promise<AlarmInstancesAnswer> {
  const request = parseAlarmInstances(body)
  const { company, nowMs } = view
  const queries = createQueryContext(deps, { companyRef: company.ref, report: 'alarm/instances' }, signal)
  const page = await mapQueryLimitErrors(readPage(request, view, queries))
  if (!request.file) return page
  const table = () => instancesTable(page)
  const exported = { request: request.file, company, report: 'alarm/instances', table, signal } as const
  return { ...page, ...(await exportReport(deps.files, exported)), range: { ...page.range, end: isoText(nowMs) } }
}

async function readPage(
  request: AlarmInstancesRequest,
  view: CompanyView,
  queries: QueryContext,
): Promise<AlarmInstancesAnswer> {
  const natives = await readNativeCodes(view.company.ref, nativeCodeIds(request), queries)
  const plan = planAlarmInstances(request, view, natives)
  return presentInstances(request, await readInstances(plan, view, queries), view.nowMs)
}
