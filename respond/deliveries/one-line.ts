/** Line breaks, control characters and bidirectional controls, which may hide or reorder text. */
const controls = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu
/** Parts of a surrogate pair whose other part was cut. */
const loneSurrogates = /\p{Cs}/gu

/** Returns the first `maxChars` characters of a text in one line: controls become spaces. */
export function oneLine(text: string, maxChars: number): string {
  // A long text is cut first: only the beginning is searched.
  const line = text
    .slice(0, 2 * maxChars)
    .replace(controls, ' ')
    .trim()
  const cut = line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line
  return cut.replace(loneSurrogates, '')
}
