/**
 * Runs a task for each item, with limited concurrency. Rejects with the first failure after the running tasks have
 * ended.
 */
export async function mapConcurrently<T>(
  items: readonly T[],
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const results = await Promise.allSettled(
    Array.from({ length: width }, async () => {
      for (const item of left) await task(item)
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
