import { neverRejects } from '../../shared/async/never-rejects.ts'

interface Waiting<T> {
  readonly id: string
  readonly resolve: (found: T | null) => void
  readonly reject: (error: unknown) => void
}

/** Most ids of one read, so that its query is parsed quickly. */
const maxIds = 1000

/**
 * Lets callers share reads. One read runs at a time, for all who asked before it began: nobody gets an answer that was
 * read before they asked. However many ask at once, the store has one query to answer. null: nothing was found.
 */
export function shareReads<T>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | null> {
  let waiting: Waiting<T>[] = []
  let isReading = false

  const readAll = async (): Promise<void> => {
    isReading = true
    // Callers who ask in the same turn share the first read, too.
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
      // A failure goes to the callers who wait.
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
