/**
 * Assigns partitions to members evenly, and moves as few as possible: a member keeps its partitions up to its fair
 * share; the remaining ones go, in order, to members below their share. Pure.
 */
export function share(partitions: number, owned: readonly ReadonlySet<number>[]): readonly ReadonlySet<number>[] {
  const least = Math.floor(partitions / owned.length)
  let larger = partitions % owned.length
  const kept = owned.map(own => {
    const quota = own.size > least && larger > 0 ? least + 1 : least
    if (quota > least) larger--
    return new Set([...own].slice(0, quota))
  })
  const taken = new Set(kept.flatMap(own => [...own]))
  const free = Array.from({ length: partitions }, (_, partition) => partition).filter(
    partition => !taken.has(partition),
  )
  return kept.map(own => {
    const quota = own.size > least ? own.size : least + (larger-- > 0 ? 1 : 0)
    return new Set([...own, ...free.splice(0, quota - own.size)])
  })
}
