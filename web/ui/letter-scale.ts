const usualPx = 16

/** How much larger than usual letters are: on a very large screen the style enlarges them. */
export function letterScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / usualPx || 1
}

/** A length in px beside usual letters, as a length that grows with the letters. */
export function inLetters(px: number): string {
  return `${px / usualPx}rem`
}
