const usualPx = 16

/** How much larger than usual letters are: on a very large screen the style enlarges them. */
export function letterScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / usualPx || 1
}
