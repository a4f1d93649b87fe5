/**
 * Since when something is disabled, after it was told so or not; nothing where that was left out. Told again, it keeps the time.
 */
export function disabledAs(
  disabled: boolean | null | undefined,
  before: string | null | undefined,
  now: string,
): { readonly disabledAt?: string | null } {
  if (disabled === null || disabled === undefined) return {}
  return { disabledAt: disabled ? (before ?? now) : null }
}
