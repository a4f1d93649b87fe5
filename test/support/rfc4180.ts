/** Reads CSV strictly by RFC 4180, and throws on any violation. Returns rows of strings, including the header. */
export function parseRfc4180(csv: string): string[][] {
  const rows: string[][] = []
  let at = 0
  const field = (): string => {
    if (csv[at] !== '"') {
      const start = at
      while (at < csv.length && !',\r\n"'.includes(csv.charAt(at))) at++
      if (csv[at] === '"') throw new Error(`A quote within a bare field at ${at}`)
      return csv.slice(start, at)
    }
    let value = ''
    for (at++; ; at++) {
      if (at >= csv.length) throw new Error('A quoted field without an end')
      if (csv[at] !== '"') value += csv.charAt(at)
      else if (csv[at + 1] === '"') value += csv.charAt(at++)
      else break
    }
    at++
    return value
  }
  while (at < csv.length) {
    const row = [field()]
    while (csv[at] === ',') {
      at++
      row.push(field())
    }
    if (!csv.startsWith('\r\n', at)) throw new Error(`A row without CRLF at ${at}`)
    at += 2
    rows.push(row)
  }
  return rows
}
