/** The text of a description before a definition; '' for an empty description. */
export function descriptionText(description: string): string {
  return description === '' ? '' : `${JSON.stringify(description)}\n`
}

/** The text of a definition with its lines in braces. */
export function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.map(line => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}\n}`
}
