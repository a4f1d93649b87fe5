/** Characters that begin a formula; spreadsheets also accept the full-width forms. */
const signs: ReadonlySet<string> = new Set('=+-@＝＋－＠﹦﹢﹣﹫')
const anySign = /[=+\-@＝＋－＠﹦﹢﹣﹫]/
/** Characters that end a cell for readers with other separators or without quotes. */
const separators: ReadonlySet<string> = new Set(';\t\r\n')
/** Characters that readers ignore at the start of a cell: space, control and format characters, quotes. */
const passedOver = /[\s\p{Cc}\p{Cf}"'`]/u

/**
 * Inserts `'` before everything that a spreadsheet may interpret as a formula: at the start of a text, and after a `;`,
 * a tab or a line break within it, because some spreadsheets split cells there.
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

/**
 * Positions of formulas, including ignored characters before them. Scans backwards once, so that the time is linear.
 */
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
