/**
 * Replaces the key of a record in an index. A key is undefined if the record does not exist before or after the change.
 */
export function replaceIn<Key, T>(
  index: Map<Key, T>,
  before: Key | undefined,
  after: Key | undefined,
  record: T | null,
): void {
  if (before !== undefined) index.delete(before)
  if (after !== undefined && record !== null) index.set(after, record)
}
