import { fault, validationError } from '../../schema/errors.ts'
import { pageLimits, type PageQuery } from '../../schema/requests/page.ts'
import type { Call } from '../http/route.ts'
import { JsonList } from '../json/json-list.ts'
import type { JsonWriter } from '../json/json-writer.ts'

/**
 * Responds with one page of a sorted list: presents the first `limit` items one by one, at the speed of the caller. If
 * there are more, the header `Link` (RFC 8288) has the URL of the next page.
 */
export function answerPage<T extends { readonly id: string }, Answer>(
  items: Iterable<T>,
  present: (item: T) => Answer,
  path: string,
  { query, baseUrl, setHeader }: Pick<Call<PageQuery>, 'query' | 'baseUrl' | 'setHeader'>,
  limits: { readonly default: number; readonly max: number } = pageLimits,
): JsonList<Answer> {
  const limit = Math.min(query.limit ?? limits.default, limits.max)
  const page: T[] = []
  for (const item of items) {
    if (page.length === limit) {
      const next = new URLSearchParams([...textsOf({ ...query, after: undefined }), ['after', page.at(-1)?.id ?? '']])
      setHeader('Link', `<${baseUrl}${path}?${next.toString()}>; rel="next"`)
      break
    }
    page.push(item)
  }
  // The items are read before the call returns, because lists of records are valid only until the next change.
  return new JsonList(into => writeItems(into, page, present))
}

/** A complete sorted list, whose items are presented one by one, at the speed of the caller. */
export function answerAll<T, Answer>(items: readonly T[], present: (item: T) => Answer): JsonList<Answer> {
  return new JsonList(into => writeItems(into, items, present))
}

/** The error for an `after` that is not an id of the list: 400. */
export function unknownAfter(after: string): Error {
  return validationError([fault('after', 'InvalidDataItem', `Unknown id '${after}'`)])
}

function* writeItems<T>(into: JsonWriter, items: readonly T[], present: (item: T) => unknown): Generator<void> {
  let separator = ''
  for (const item of items) {
    into.text(separator + JSON.stringify(present(item)))
    separator = ','
    yield
  }
}

function textsOf(query: object): [string, string][] {
  return Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    [value]
      .flat()
      .filter(each => typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
      .map((each): [string, string] => [name, String(each)]),
  )
}
