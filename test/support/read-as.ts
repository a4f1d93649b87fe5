/** A parsed JSON value as the type that the test expects. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names the type
export function readAs<T>(value: unknown): T {
  const copy: T = JSON.parse(JSON.stringify(value))
  return copy
}
