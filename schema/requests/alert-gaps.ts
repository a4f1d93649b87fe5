import { described, type Infer, instant, int, looseInstant, named, namedList, object, partial } from '../types.ts'

/** Query of `GET /alert-gaps`. */
export const alertGapsQuery = partial({
  start: described(looseInstant, 'Gaps that end after it'),
  end: described(looseInstant, 'Gaps that start before it'),
})

/** Time in which the evaluation of a partition was behind. */
const alertGap = named(
  'AlertGap',
  object({ partition: described(int, 'Of the state samples'), startAt: instant, endAt: instant }),
)
export type AlertGap = Infer<typeof alertGap>
export const alertGapList = namedList(alertGap)
