import { neverRejects } from '../../shared/async/never-rejects.ts'

interface Waiting<T> {
  readonly id: string
  readonly resolve: (found: T | null) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of ids per read, so that the store parses its query quickly. */
const maxIds = 1000

/**
 * Combines the lookups of concurrent callers into shared reads. One read runs at a time; it serves all callers that
 * requested before it began, so that no result is older than its request. null: not found.
 */
export function shareReads<T>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | null> {
  let waiting: Waiting<T>[] = []
  let isReading = false

  const readAll = async (): Promise<void> => {
    isReading = true
    // Callers of the same tick share the first read, too.
    await Promise.resolve()
    while (waiting.length > 0) {
      const asked = waiting.slice(0, maxIds)
      waiting = waiting.slice(maxIds)
      await settle(asked, read)
    }
    isReading = false
  }

  return id =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      // The waiting callers receive a failure.
      if (!isReading) neverRejects(readAll())
    })
}

async function settle<T>(
  asked: readonly Waiting<T>[],
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<void> {
  try {
    const found = await read([...new Set(asked.map(({ id }) => id))])
    for (const { id, resolve } of asked) resolve(found.get(id) ?? null)
  } catch (error) {
    for (const { reject } of asked) reject(error)
  }
}
