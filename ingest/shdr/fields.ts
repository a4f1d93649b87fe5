/**
 * Splits a line at `|` and removes the outer blanks of each field. In a field in double quotes, `\` escapes the next
 * character, such as `|`. A quote that is not closed at the end of its field is an ordinary character.
 */
export function splitFields(line: string): readonly string[] {
  if (!line.includes('"')) return line.split('|').map(field => field.trim())
  const fields: string[] = []
  for (let at = 0; at <= line.length;) {
    const quoted = readQuoted(line, at)
    const pipe = line.indexOf('|', quoted?.end ?? at)
    const end = pipe < 0 ? line.length : pipe
    fields.push((quoted?.text ?? line.slice(at, end)).trim())
    at = end + 1
  }
  return fields
}

/** Reads the quoted field that begins at an index; null: there is none. `end` is the index after its closing quote. */
function readQuoted(line: string, from: number): { readonly text: string; readonly end: number } | null {
  const start = skipBlanks(line, from)
  if (line[start] !== '"') return null
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at]
    if (char === '|') return null
    if (char === '"') {
      const next = line[skipBlanks(line, at + 1)]
      return next === '|' || next === undefined ? { text, end: at + 1 } : null
    }
    if (char === '\\') at++
    text += line[at] ?? ''
  }
  return null
}

function skipBlanks(line: string, from: number): number {
  let at = from
  while (line[at] === ' ' || line[at] === '\t' || line[at] === '\n') at++
  return at
}
