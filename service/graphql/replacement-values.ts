import type { RecentValuesSource } from '../../api/graphql/run/context.ts'
import type { LiveValue } from '../../api/live/values/latest-values.ts'
import type { Live } from '../../api/live/sessions/live.ts'
import type { Records } from '../../processors/records/records.ts'
import { metricName } from '../../schema/sample.ts'
import type { RecentValues } from '../live/recent-values.ts'

/** Limit of the values of one company that are replaced; above it, the values of the store are returned. */
const maxWithheld = 20_000

/**
 * Creates the source of values that replace those of the store: values that may not be stored yet, and the current
 * value of each metric for which the store has a future-dated sample.
 */
export function replacementValues(
  live: Pick<Live, 'valuesBeforeFuture'>,
  recent: Pick<RecentValues, 'of'>,
  records: Pick<Records, 'machineByRef' | 'company'>,
): RecentValuesSource {
  return (companyRef, machines, keys) => {
    const found = recent.of(companyRef, machines, keys)
    const withheld = new Map<string, LiveValue>()
    for (const value of live.valuesBeforeFuture()) {
      if (withheld.size >= maxWithheld) break
      if (!(machines?.has(value.machineRef) ?? true) || !(keys?.has(value.key) ?? true)) continue
      const companyId = records.machineByRef(value.machineRef)?.companyId ?? ''
      if (records.company(companyId)?.ref === companyRef) withheld.set(metricName(value), value)
    }
    if (withheld.size === 0) return found
    for (const value of found) withheld.delete(metricName(value))
    return [...found, ...withheld.values()]
  }
}
