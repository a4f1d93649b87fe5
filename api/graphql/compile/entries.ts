/** The fields of an input; none where it is left out. */
export function entriesOf(input: unknown): readonly (readonly [string, unknown])[] {
  return typeof input === 'object' && input !== null ? Object.entries(input) : []
}
