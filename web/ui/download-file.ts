/** Has the browser store a file. */
export function downloadFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** A text as a CSV file. The byte order mark prevents Excel from reading Windows-1252. */
export function csvFile(text: string): Blob {
  return new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' })
}
