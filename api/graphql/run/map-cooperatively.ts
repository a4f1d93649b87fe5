import { TimeSlice } from '../../../shared/async/time-slice.ts'

/** Maps an array in time slices, between which it yields to the event loop; rejects when the signal aborts. */
export async function mapCooperatively<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  signal: AbortSignal | null = null,
): Promise<R[]> {
  const slice = new TimeSlice(signal)
  const result: R[] = []
  for (const item of items) {
    result.push(map(item))
    if (slice.isOver) await slice.next()
  }
  return result
}
