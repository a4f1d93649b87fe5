/**
 * Returns the field `disabledAt` of a record; an empty object if the request does not change it. Disabling a disabled
 * record keeps the earlier time.
 */
export function disabledField(
  disabled: boolean | null | undefined,
  before: string | null | undefined,
  now: string,
): { readonly disabledAt?: string | null } {
  if (disabled === null || disabled === undefined) return {}
  return { disabledAt: disabled ? (before ?? now) : null }
}
