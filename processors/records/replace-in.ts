/** Moves a record to its new key in an index; `before` and `after` are undefined without a key. */
export function replaceIn<Key, T>(
  index: Map<Key, T>,
  before: Key | undefined,
  after: Key | undefined,
  record: T | null,
): void {
  if (before !== undefined) index.delete(before)
  if (after !== undefined && record !== null) index.set(after, record)
}
