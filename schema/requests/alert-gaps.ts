import * as t from '../types.ts'

/** Query of `GET /alert-gaps`. */
export const alertGapsQuery = t.partial({
  start: t.described(t.looseInstant, 'Gaps that end after it'),
  end: t.described(t.looseInstant, 'Gaps that start before it'),
})

/** Time in which the evaluation of a partition was behind. */
const alertGap = t.named(
  'AlertGap',
  t.object({ partition: t.described(t.int, 'Of the state samples'), startAt: t.instant, endAt: t.instant }),
)
export type AlertGap = t.Infer<typeof alertGap>
export const alertGapList = t.namedList(alertGap)
