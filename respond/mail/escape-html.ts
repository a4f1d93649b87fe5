/** HTML whose values are escaped. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
export type { Html }

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Tag of templates of HTML: escapes every value that is not HTML itself; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(parts.map((part, index) => part + toText(values[index])).join(''))
}

function toText(value: string | Html | readonly Html[] | undefined): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return value.replace(/[&<>"']/g, char => escapes[char] ?? '')
  return value.map(({ text }) => text).join('')
}
