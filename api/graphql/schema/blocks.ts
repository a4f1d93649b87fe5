/** A description before a definition; an empty description gives an empty text. */
export function doc(description: string): string {
  return description === '' ? '' : `${JSON.stringify(description)}\n`
}

/** A definition with its lines in braces. */
export function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.map(line => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}\n}`
}
