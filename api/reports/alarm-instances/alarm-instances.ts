import type { Store } from '../../../clickhouse/client/store.ts'
import type { AlarmInstancesAnswer } from '../../../schema/requests/alarm-instances.ts'
import type { CompanyView } from '../company/company-view.ts'
import { type Asking, askingFor, type QueryLimits } from '../ask/asking.ts'
import { readNativeCodes } from '../groupings/native-codes.ts'
import { explained } from '../run/too-large.ts'
import { nativeCodeIds, planAlarmInstances } from './plan.ts'
import { presentInstances } from './present.ts'
import type { AlarmInstancesRequest } from './request.ts'
import { readInstances } from './run.ts'

export interface AlarmInstancesDeps {
  readonly store: Store
  /** UTC ms. */
  readonly clock: () => number
  readonly limits?: QueryLimits
}

/**
 * Returns a page of a company's alarm instances. Rejects with an `ApiError` 503 if the processors lag too far, or with
 * a `StoreError`.
 */
export async function reportAlarmInstances(
  request: AlarmInstancesRequest,
  view: CompanyView,
  deps: AlarmInstancesDeps,
  signal?: AbortSignal,
): Promise<AlarmInstancesAnswer> {
  const asking = askingFor(deps, { companyRef: view.company.ref, report: 'alarm/instances' }, signal)
  const nowMs = deps.clock()
  return explained(answer(request, { view, nowMs }, asking))
}

async function answer(
  request: AlarmInstancesRequest,
  { view, nowMs }: { readonly view: CompanyView; readonly nowMs: number },
  asking: Asking,
): Promise<AlarmInstancesAnswer> {
  const natives = await readNativeCodes(view.company.ref, nativeCodeIds(request), asking)
  const plan = planAlarmInstances(request, { view, nowMs, natives })
  return presentInstances(request, await readInstances(plan, view, asking), nowMs)
}
