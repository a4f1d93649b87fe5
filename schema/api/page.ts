import { int, type JsonSchema, looseInstant, text } from './json-schema.ts'

/** Items of one page unless told otherwise, and at most: whoever asks for more gets a page of so many. */
export const pageLimits = { usual: 10_000, most: 100_000 } as const

/** Query of a list that may be long. */
export interface PageQuery {
  readonly limit?: number
  /** Id of the last item of the page before. */
  readonly after?: string
}

export const pageQuery = {
  limit: {
    ...int,
    minimum: 1,
    default: pageLimits.usual,
    description: `At most so many items, and never more than ${pageLimits.most}`,
  },
  after: { ...text, description: 'Id of the last item of the page before; the header `Link` has the whole address' },
} as const satisfies Record<keyof PageQuery, JsonSchema>

/** Query of a list of what happened on machines. */
export interface RangeQuery extends PageQuery {
  readonly start?: string
  readonly end?: string
}

export const rangeQuery = {
  start: looseInstant,
  end: looseInstant,
  ...pageQuery,
} as const satisfies Record<keyof RangeQuery, JsonSchema>
