/** The items of an input list; empty if it is missing. */
export function listOf(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input : []
}

/** The fields of an input object; empty if it is missing. */
export function entriesOf(input: unknown): readonly (readonly [string, unknown])[] {
  return typeof input === 'object' && input !== null ? Object.entries(input) : []
}
