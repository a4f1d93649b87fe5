import { OffsetOutOfRange, type FollowOptions } from './log.ts'

/** Offsets of a partition: those of its records are in [start, end). */
interface ReadableRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns the start offset of each partition that a follower reads. `ranges`: those of all partitions. Throws
 * `OffsetOutOfRange` for an offset that the log does not contain, and a `RangeError` for an unknown partition.
 */
export function followStarts(
  { topic, from, partitions }: FollowOptions,
  ranges: readonly ReadableRange[],
): ReadonlyMap<number, number> {
  const startOf = (partition: number): number => {
    const range = ranges[partition]
    if (range === undefined) throw new RangeError(`Topic ${topic} has no partition ${partition}`)
    const { start, end } = range
    if (from === 'latest') return end
    const offset = from === 'earliest' ? start : (from[partition] ?? start)
    if (offset >= start && offset <= end) return offset
    throw new OffsetOutOfRange(
      `Cannot follow ${topic}, partition ${partition}, from offset ${offset}: the log contains ${start} to ${end}`,
    )
  }
  return new Map((partitions ?? [...ranges.keys()]).map(partition => [partition, startOf(partition)]))
}
