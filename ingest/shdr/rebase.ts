import type { Observation } from './parsed-line.ts'

/** `repeats`: repeated keys that end the snapshot. `lines`: limit of lines that are read to find its end. */
const limits = { repeats: 10, lines: 10_000 } as const
/** Shortest gap between the stale lines of a snapshot, and before the log itself. */
const gapUs = 3_600_000_000

type Line = readonly Observation[]

/**
 * Finds the start of a log, in UTC µs (0: there are no lines), and returns all lines. A log begins with a snapshot: the
 * last value of every key, stale by hours or months. The log itself starts after the last gap before keys repeat.
 */
export async function findStart(
  lines: AsyncIterable<Line>,
): Promise<{ readonly startUs: number; readonly lines: AsyncIterable<Line> }> {
  const iterator = lines[Symbol.asyncIterator]()
  const read: Line[] = []
  const seen = new Set<string>()
  let repeats = 0
  while (repeats < limits.repeats && read.length < limits.lines) {
    const next = await iterator.next()
    if (next.done) break
    read.push(next.value)
    repeats += next.value.filter(({ key }) => seen.has(key)).length
    for (const { key } of next.value) seen.add(key)
  }
  return { startUs: afterLastGap(read.flat()), lines: rest(read, iterator) }
}

function afterLastGap(observations: Line): number {
  const times = observations.map(({ atUs }) => atUs)
  const last = times.findLastIndex((atUs, index) => atUs - (times[index - 1] ?? atUs) >= gapUs)
  return times[Math.max(0, last)] ?? 0
}

async function* rest(read: readonly Line[], iterator: AsyncIterator<Line>): AsyncIterable<Line> {
  yield* read
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
}
