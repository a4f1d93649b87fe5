import type { TimeRange } from '../../../processors/calendar/types.ts'
import type { JobRunParts } from '../../../schema/requests/job-dispatch.ts'
import type { SumName } from '../../../schema/sums.ts'
import type { ProductionRequest } from '../request.ts'
import { root } from './group-tree.ts'

/**
 * A report of a machine's parts in a run's own time: the machine has no other run then, so there is no need to tell runs apart, and
 * parts are counted even before their documents know the run.
 */
export function partsRequest(machineId: string, { startMs, endMs }: TimeRange): ProductionRequest {
  return {
    report: 'production',
    range: { form: 'instants', startMs, endMs },
    metrics: ['totalParts', 'goodParts', 'scrapParts', 'nonconformParts'],
    groupBy: [],
    filters: { machine: [machineId] },
    csv: false,
    flatten: false,
  }
}

/** The sums in whole parts, of which the total is the sum of the others. Multipliers may leave fractions of good parts. */
export function partsOf(names: readonly SumName[], sums: readonly Float64Array[]): JobRunParts {
  // Adding 0 makes -0 a 0.
  const whole = (name: SumName) => Math.round(sums[names.indexOf(name)]?.[root] ?? 0) + 0
  const [goodParts, scrapParts, nonconformParts] = [whole('goodParts'), whole('scrapParts'), whole('nonconformParts')]
  return { totalParts: goodParts + scrapParts + nonconformParts, goodParts, scrapParts, nonconformParts }
}
