import type { QueryOptions, Store } from '../../../clickhouse/store.ts'
import type { AlarmInstancesAnswer } from '../../../schema/api/alarm-instances.ts'
import { guardedStore } from '../guard.ts'
import type { Plant } from '../plant.ts'
import { defaultLimits, type QueryLimits } from '../run.ts'
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
  plant: Plant,
  deps: AlarmInstancesDeps,
  signal?: AbortSignal,
): Promise<AlarmInstancesAnswer> {
  const company = plant.company.ref
  const store = guardedStore(deps.store, company)
  const options: QueryOptions = {
    settings: { readonly: 2, ...(deps.limits ?? defaultLimits), output_format_json_quote_64bit_integers: 0 },
    logComment: `/reports/alarm/instances company=${company}`,
    lane: 'report',
    ...(signal ? { signal } : {}),
  }
  const nowMs = deps.clock()
  try {
    const natives = await readNativeCodes(company, nativeCodeIds(request), store, options)
    const plan = planAlarmInstances(request, { plant, nowMs, natives })
    return presentInstances(request, await readInstances(plan, plant, store, options), nowMs)
  } catch (error) {
    throw explainLimit(error)
  }
}
