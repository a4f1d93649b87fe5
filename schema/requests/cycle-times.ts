import * as t from '../types.ts'
import { exampleIds } from '../example-ids.ts'
import { reportRange, reportWarnings } from './report.ts'

/** Filters of `POST /reports/cycle-times`. */
export const cycleTimeFilters = ['machine', 'machineGroup', 'shift', 'operator'] as const

const conditions = t.named(
  'CycleTimeConditions',
  t.unsafe<unknown>({
    ...t.jsonOf(
      t.partial(t.nullableProperties(Object.fromEntries(cycleTimeFilters.map(name => [name, t.list(t.text)])))),
    ),
    additionalProperties: false,
  }),
  'Shift and operators are those at the end of a cycle',
)

const properties = t.partial({
  ...t.nullableProperties({
    start: t.looseInstant,
    end: t.looseInstant,
    startDay: t.localDate,
    endDay: t.localDate,
    filter: conditions,
  }),
  jobOperation: t.described(t.text, 'Id of the job operation'),
})

/**
 * Body of `POST /reports/cycle-times`. Used only in the OpenAPI document: the report parses the body and lists every
 * field error.
 */
export const cycleTimesInput = t.named(
  'CycleTimesInput',
  t.unsafe<unknown>({
    ...t.jsonOf(properties),
    required: ['jobOperation'],
    examples: [
      {
        startDay: '2026-03-02',
        endDay: '2026-03-08',
        jobOperation: exampleIds.jobOperation,
        filter: { machine: [exampleIds.machine] },
      },
    ],
  }),
  'Accepts either `start` and `end`, or `startDay` and `endDay`',
)

const count = t.integer(0, Number.MAX_SAFE_INTEGER)
const percentile = (meaning: string) => t.described(t.nullable(count), `${meaning}, ms; null: there are no cycles`)

const bin = t.named(
  'CycleTimeBin',
  t.object({
    fromMs: t.described(count, 'Least length of its cycles'),
    toMs: t.described(count, 'Its cycles are shorter'),
    cycleCount: count,
  }),
)

/** Response of `POST /reports/cycle-times`. */
export const cycleTimesResponse = t.named(
  'CycleTimes',
  t.object(
    {
      range: reportRange,
      cycleCount: count,
      p10Ms: percentile('10% of the cycles are at most as long'),
      medianMs: percentile('Half of the cycles are at most as long'),
      p90Ms: percentile('90% of the cycles are at most as long'),
      standardMs: t.described(
        t.nullable(t.number),
        'Ideal part time x part count multiplier, ms; the greatest one if it differs between the runs; null: none has it',
      ),
      aboveStandardCount: t.described(count, 'Number of cycles that are longer than the standard of their job run'),
      bins: t.described(t.list(bin), 'Adjacent bins of equal width, ascending; at most 21. Empty without cycles'),
      shorterCount: t.described(count, 'Number of cycles that are shorter than the first bin'),
      longerCount: t.described(count, 'Number of cycles that are longer than the last bin'),
      warnings: reportWarnings,
    },
    ['warnings'],
  ),
)
export type CycleTimesResponse = t.Infer<typeof cycleTimesResponse>
