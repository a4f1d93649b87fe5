/**
 * Assigns partitions to members evenly, and moves as few as possible: a member keeps its partitions up to its fair
 * share; the remaining ones go, in order, to members below their share. Pure.
 */
export function assignPartitions(
  partitions: number,
  owned: readonly ReadonlySet<number>[],
): readonly ReadonlySet<number>[] {
  const minQuota = Math.floor(partitions / owned.length)
  let larger = partitions % owned.length
  const kept = owned.map(own => {
    const quota = own.size > minQuota && larger > 0 ? minQuota + 1 : minQuota
    if (quota > minQuota) larger--
    return new Set([...own].slice(0, quota))
  })
  const assigned = new Set(kept.flatMap(own => [...own]))
  const free = Array.from({ length: partitions }, (_, partition) => partition).filter(
    partition => !assigned.has(partition),
  )
  return kept.map(own => {
    const quota = own.size > minQuota ? own.size : minQuota + (larger-- > 0 ? 1 : 0)
    return new Set([...own, ...free.splice(0, quota - own.size)])
  })
}
