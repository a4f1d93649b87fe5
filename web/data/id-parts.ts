/** A query has at most 100 parameters, and an address some 16 KB: no more ids than this go into one. */
export const maxIds = 80

/** Lists of ids that each fit into an address; null, for all, is one empty list. */
export function idParts(ids: readonly string[] | null): readonly (readonly string[])[] {
  if (ids === null) return [[]]
  return Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, i) => ids.slice(i * maxIds, (i + 1) * maxIds))
}
