import type { Texts } from '../../texts/en.ts'
import type { Format } from '../../texts/format.ts'

/** Skew up to which a clock is right, ms. */
const rightMs = 5_000

/** Describes how far a clock is ahead or behind; null: it is right, or its skew is not known. */
export function skewText(
  skewMs: number | null,
  { t, format }: { readonly t: Texts; readonly format: Format },
): string | null {
  if (skewMs === null || Math.abs(skewMs) <= rightMs) return null
  const difference = format.duration(Math.abs(skewMs))
  return skewMs > 0 ? t.source.clock.ahead(difference) : t.source.clock.behind(difference)
}
