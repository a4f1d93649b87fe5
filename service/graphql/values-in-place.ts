import type { RecentValuesSource } from '../../api/graphql/run/context.ts'
import type { LiveValue } from '../../api/live/latest-values.ts'
import type { Live } from '../../api/live/sessions/live.ts'
import type { Records } from '../../processors/records/records.ts'
import { metricName } from '../../schema/sample.ts'
import type { RecentValues } from '../live/recent-values.ts'

/** Most values of one company that are held back; of the others the store's are shown. */
const mostHeldBack = 20_000

/**
 * The values that are shown in place of those of the store: those that may not be in it yet, and those of metrics of which it has a sample ahead
 * of the clock.
 */
export function valuesInPlace(
  live: Pick<Live, 'valuesHeldBack'>,
  recent: Pick<RecentValues, 'of'>,
  records: Pick<Records, 'machineByRef' | 'company'>,
): RecentValuesSource {
  return (companyRef, machines, keys) => {
    const found = recent.of(companyRef, machines, keys)
    const heldBack = new Map<string, LiveValue>()
    for (const value of live.valuesHeldBack()) {
      if (heldBack.size >= mostHeldBack) break
      if (!(machines?.has(value.machineRef) ?? true) || !(keys?.has(value.key) ?? true)) continue
      const companyId = records.machineByRef(value.machineRef)?.companyId ?? ''
      if (records.company(companyId)?.ref === companyRef) heldBack.set(metricName(value), value)
    }
    if (heldBack.size === 0) return found
    for (const value of found) heldBack.delete(metricName(value))
    return [...found, ...heldBack.values()]
  }
}
