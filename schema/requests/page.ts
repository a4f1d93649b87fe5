import { Type } from 'typebox'
import { described, looseInstant, type Of, partial, text } from '../types.ts'

/** Default and maximum number of items per page: a request for more returns a page of the maximum. */
export const pageLimits = { usual: 10_000, most: 100_000 } as const

/** Query of a list that may be long. */
export const pageQuery = {
  limit: Type.Integer({
    minimum: 1,
    default: pageLimits.usual,
    description: `Maximum number of items, at most ${pageLimits.most}`,
  }),
  after: described(text, 'Id of the last item of the page before; the header `Link` has the whole address'),
}
const pageQueryObject = partial(pageQuery)
export type PageQuery = Of<typeof pageQueryObject>

/** Query of a list of what happened on machines. */
export const rangeQuery = { start: looseInstant, end: looseInstant, ...pageQuery }
const rangeQueryObject = partial(rangeQuery)
export type RangeQuery = Of<typeof rangeQueryObject>
