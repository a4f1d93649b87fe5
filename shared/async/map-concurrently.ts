/**
 * Runs a task for each item, with limited concurrency. After a failure, no further task starts; rejects with the first one
 * when the running tasks have ended.
 */
export async function mapConcurrently<T>(
  items: Iterable<T>,
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const left = eachOf(items)
  const results = await Promise.allSettled(
    Array.from({ length: width }, async () => {
      for (const item of left) await task(item)
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** A generator ends for all readers when one of them fails. */
function* eachOf<T>(items: Iterable<T>): Generator<T> {
  yield* items
}
