import type { Store } from '../../../clickhouse/client/store.ts'
import type { AlarmInstancesAnswer } from '../../../schema/requests/alarm-instances.ts'
import type { CompanyView } from '../company-view.ts'
import { askingFor, type QueryLimits } from '../ask.ts'
import { explainLimit } from '../too-large.ts'
import { nativeCodeIds, planAlarmInstances } from './plan.ts'
import { presentInstances } from './present.ts'
import type { AlarmInstancesRequest } from './request.ts'
import { readInstances, readNativeCodes } from './run.ts'

export interface AlarmInstancesDeps {
  readonly store: Store
  /** UTC ms. */
  readonly clock: () => number
  readonly limits?: QueryLimits
}

/** Answers a page of a company's alarm instances. Rejects with an `ApiError` 503 where the processors are too far behind, or with a `StoreError`. */
export async function reportAlarmInstances(
  request: AlarmInstancesRequest,
  view: CompanyView,
  deps: AlarmInstancesDeps,
  signal?: AbortSignal,
): Promise<AlarmInstancesAnswer> {
  const company = view.company.ref
  const { store, options } = askingFor(deps, { company, report: 'alarm/instances' }, signal)
  const nowMs = deps.clock()
  try {
    const natives = await readNativeCodes(company, nativeCodeIds(request), store, options)
    const plan = planAlarmInstances(request, { view, nowMs, natives })
    return presentInstances(request, await readInstances(plan, view, store, options), nowMs)
  } catch (error) {
    throw explainLimit(error)
  }
}
