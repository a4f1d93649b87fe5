import { neverRejects } from '../../shared/async/never-rejects.ts'

interface Waiting<T> {
  readonly id: string
  readonly resolve: (found: T | null) => void
  readonly reject: (error: unknown) => void
}

/** A read is kept as small as a query that is quickly parsed. */
const maxIds = 1000

/**
 * One read at a time, each for everyone who asked before it began: nobody gets what was read before they asked, and however many ask
 * at once, the store has one query to answer. null: nothing was found.
 */
export function shareReads<T>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | null> {
  let waiting: Waiting<T>[] = []
  let isReading = false

  const readAll = async (): Promise<void> => {
    isReading = true
    // Those who ask in the same turn share the first read, too.
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
      // Who asked gets the failure.
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
