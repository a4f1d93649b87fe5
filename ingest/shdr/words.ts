/** Whether a value means that the source has none. */
export function isUnavailable(word: string): boolean {
  return word.length === 11 && word.toUpperCase() === 'UNAVAILABLE'
}

/** Whether a word is a level of a condition. */
export function isLevel(word: string): boolean {
  return /^(?:normal|warning|fault|unavailable)$/i.test(word)
}
