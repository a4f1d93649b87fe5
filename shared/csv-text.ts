/** A text as the content of a cell. */
export function csvText(text: string): string {
  return quoted(withoutFormula(text))
}

/** Quotes a text if necessary, or if it begins or ends with a space, which some readers remove. */
export function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

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
  const positions = formulasIn(text)
  if (startsOddly && positions[0] !== 0) positions.unshift(0)
  if (positions.length === 0) return text
  const parts = positions.map((position, i) => `'${text.slice(position, positions[i + 1])}`)
  return text.slice(0, positions[0]) + parts.join('')
}

/** Positions of formulas, including ignored characters before them. Scans backwards, in linear time. */
function formulasIn(text: string): number[] {
  const positions: number[] = []
  let leadsToSign = false
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text.charAt(at)
    if (separators.has(char)) {
      if (leadsToSign) positions.push(at + 1)
      leadsToSign = false
    } else if (signs.has(char)) leadsToSign = true
    else if (!passedOver.test(char)) leadsToSign = false
  }
  if (leadsToSign) positions.push(0)
  return positions.reverse()
}
