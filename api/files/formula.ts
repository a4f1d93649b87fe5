/** Signs that begin a formula. Spreadsheets take the full-width forms too. */
const signs: ReadonlySet<string> = new Set('=+-@＝＋－＠﹦﹢﹣﹫')
const anySign = /[=+\-@＝＋－＠﹦﹢﹣﹫]/
/** Characters that end a cell for readers that expect other separators, or that know no quotes. */
const separators: ReadonlySet<string> = new Set(';\t\r\n')
/** Characters that readers pass over at the start of a cell: space, control and format characters, quotes. */
const passedOver = /[\s\p{Cc}\p{Cf}"'`]/u

/**
 * Puts `'` before everything that a spreadsheet may take for a formula: at the start of a text, and behind a `;`, a tab or an end of
 * line within it, as some spreadsheets cut cells there.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function withoutFormula(text: string): string {
  const startsOddly = /^[\t\r\n]/.test(text)
  if (!startsOddly && !anySign.test(text)) return text
  const places = formulasIn(text)
  if (startsOddly && places[0] !== 0) places.unshift(0)
  if (places.length === 0) return text
  const pieces = places.map((place, i) => `'${text.slice(place, places[i + 1])}`)
  return text.slice(0, places[0]) + pieces.join('')
}

/** Where formulas begin, with what is passed over before them. Goes backwards once, so that time grows with the length alone. */
function formulasIn(text: string): number[] {
  const places: number[] = []
  let leadsToSign = false
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text.charAt(at)
    if (separators.has(char)) {
      if (leadsToSign) places.push(at + 1)
      leadsToSign = false
    } else if (signs.has(char)) leadsToSign = true
    else if (!passedOver.test(char)) leadsToSign = false
  }
  if (leadsToSign) places.push(0)
  return places.reverse()
}
