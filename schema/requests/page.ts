import { Type } from 'typebox'
import * as t from '../types.ts'

/** Default and maximum number of items per page; a request for more returns the maximum. */
export const pageLimits = { default: 10_000, max: 100_000 } as const

/** Query parameters of a list with pages. */
export const pageQuery = {
  limit: Type.Integer({
    minimum: 1,
    default: pageLimits.default,
    description: `Maximum number of items, at most ${pageLimits.max}`,
  }),
  after: t.described(t.text, 'Id of the last item of the previous page; the header `Link` contains the whole URL'),
}
const pageQueryObject = t.partial(pageQuery)
export type PageQuery = t.Infer<typeof pageQueryObject>

/** Query parameters of a list of events in a time range. */
export const rangeQuery = { start: t.looseInstant, end: t.looseInstant, ...pageQuery }
const rangeQueryObject = t.partial(rangeQuery)
export type RangeQuery = t.Infer<typeof rangeQueryObject>
