import { fault, validationError } from '../../schema/errors.ts'
import { pageLimits, type PageQuery } from '../../schema/api/page.ts'
import type { Call } from '../http/route.ts'
import { JsonTexts } from '../json-texts.ts'

/**
 * One page of a list in its order: presents the first `limit` items one by one, as the caller takes them. Where there are more, the
 * header `Link` (RFC 8288) has the address of the next page.
 */
export function answerPage<T extends { readonly id: string }, Answer>(
  items: Iterable<T>,
  present: (item: T) => Answer,
  path: string,
  { query, baseUrl, setHeader }: Pick<Call<PageQuery>, 'query' | 'baseUrl' | 'setHeader'>,
  { usual, most }: { readonly usual: number; readonly most: number } = pageLimits,
): JsonTexts<Answer> {
  const limit = Math.min(query.limit ?? usual, most)
  const page: T[] = []
  for (const item of items) {
    if (page.length === limit) {
      const next = new URLSearchParams({ ...textsOf(query), after: page.at(-1)?.id ?? '' })
      setHeader('Link', `<${baseUrl}${path}?${next.toString()}>; rel="next"`)
      break
    }
    page.push(item)
  }
  // The items are read here and now, as lists of records are valid until the next change only.
  return new JsonTexts(() => texts(page, present))
}

/** Throws 400: the id that a page is to begin after is of nothing in the list. */
export function unknownAfter(after: string): Error {
  return validationError([fault('after', 'InvalidDataItem', `There is no '${after}'`)])
}

function* texts<T>(items: readonly T[], present: (item: T) => unknown): Generator<string> {
  for (const item of items) yield JSON.stringify(present(item))
}

function textsOf(query: object): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
}
