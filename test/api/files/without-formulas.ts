/** A text as a CSV file contains it, by a pattern and without code of the product. */
export function withoutFormulas(text: string): string {
  const escaped = text.replace(
    /(^|[;\t\r\n])(?=[^\S\t\r\n]*(?:(?![;\t\r\n])[\s\p{Cc}\p{Cf}"'`])*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu,
    "$1'",
  )
  return /^[\t\r\n]/.test(text) && !escaped.startsWith("'") ? `'${escaped}` : escaped
}
