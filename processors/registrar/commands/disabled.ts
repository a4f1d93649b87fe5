/** Time since which a record is disabled; absent if it is not. A repeated request keeps the time. */
export function disabledAs(
  disabled: boolean | null | undefined,
  before: string | null | undefined,
  now: string,
): { readonly disabledAt?: string | null } {
  if (disabled === null || disabled === undefined) return {}
  return { disabledAt: disabled ? (before ?? now) : null }
}
