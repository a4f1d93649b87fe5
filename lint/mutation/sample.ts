/** Returns at most `max` items in a random order that depends only on the seed (xorshift32). */
export function sample<Item>(items: readonly Item[], max: number, seed: number): readonly Item[] {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state = (state ^ (state << 5)) >>> 0
    return state / 2 ** 32
  }
  return items
    .map(item => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, max)
    .map(({ item }) => item)
}
