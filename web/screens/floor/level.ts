/** Where a figure stands among its thresholds; `none`: there is no figure or no threshold. */
export type Level = 'good' | 'warning' | 'failure' | 'none'

type Value = number | null | undefined

/** Compares a ratio with the thresholds under which it is a warning or a failure. */
export function levelOf(ratio: Value, warning: Value, failure: Value): Level {
  if (typeof ratio !== 'number' || typeof warning !== 'number') return 'none'
  if (typeof failure === 'number' && ratio < failure) return 'failure'
  return ratio < warning ? 'warning' : 'good'
}
