import {
  described,
  type Infer,
  integer,
  jsonOf,
  list,
  localDate,
  looseInstant,
  named,
  nullable,
  nullableProperties,
  number,
  object,
  partial,
  text,
  unsafe,
} from '../types.ts'
import { exampleIds } from '../example-ids.ts'
import { reportRange, reportWarnings } from './report.ts'

/** Filters of `POST /reports/cycle-times`. */
export const cycleTimeFilters = ['machine', 'machineGroup', 'shift', 'operator'] as const

const conditions = named(
  'CycleTimeConditions',
  unsafe<unknown>({
    ...jsonOf(partial(nullableProperties(Object.fromEntries(cycleTimeFilters.map(name => [name, list(text)]))))),
    additionalProperties: false,
  }),
  'Shift and operators are those at the end of a cycle',
)

const properties = partial({
  ...nullableProperties({
    start: looseInstant,
    end: looseInstant,
    startDay: localDate,
    endDay: localDate,
    filter: conditions,
  }),
  jobOperation: described(text, 'Id of the job operation'),
})

/**
 * Body of `POST /reports/cycle-times`. Used only in the OpenAPI document: the report parses the body and lists every
 * field error.
 */
export const cycleTimesInput = named(
  'CycleTimesInput',
  unsafe<unknown>({
    ...jsonOf(properties),
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

const count = integer(0, Number.MAX_SAFE_INTEGER)
const percentile = (meaning: string) => described(nullable(count), `${meaning}, ms; null: there are no cycles`)

const bin = named(
  'CycleTimeBin',
  object({
    fromMs: described(count, 'Least length of its cycles'),
    toMs: described(count, 'Its cycles are shorter'),
    cycleCount: count,
  }),
)

/** Response of `POST /reports/cycle-times`. */
export const cycleTimesResponse = named(
  'CycleTimes',
  object(
    {
      range: reportRange,
      cycleCount: count,
      p10Ms: percentile('10% of the cycles are at most as long'),
      medianMs: percentile('Half of the cycles are at most as long'),
      p90Ms: percentile('90% of the cycles are at most as long'),
      standardMs: described(
        nullable(number),
        'Ideal part time x part count multiplier, ms; the greatest one if it differs between the runs; null: none has it',
      ),
      aboveStandardCount: described(count, 'Number of cycles that are longer than the standard of their job run'),
      bins: described(list(bin), 'Adjacent bins of equal width, ascending; at most 21. Empty without cycles'),
      shorterCount: described(count, 'Number of cycles that are shorter than the first bin'),
      longerCount: described(count, 'Number of cycles that are longer than the last bin'),
      warnings: reportWarnings,
    },
    ['warnings'],
  ),
)
export type CycleTimesResponse = Infer<typeof cycleTimesResponse>
