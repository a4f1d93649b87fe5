import { Marked, type Tokens } from 'marked'
import { TimeSlice } from '../../shared/async/time-slice.ts'

/**
 * HTML of a Markdown text. Headings get the ids that GitHub generates. HTML inside the text is shown as text.
 * `linkOf` returns the HTML of a link; its `label` is HTML. Yields to the event loop.
 */
export async function renderMarkdown(
  markdown: string,
  linkOf: (href: string, label: string) => string,
): Promise<string> {
  const used = new Map<string, number>()
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens, text }: Tokens.Heading) {
        const id = unique(slugOf(text), used)
        return `<h${depth} id="${escape(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        return linkOf(href, this.parser.parseInline(tokens))
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return escape(text)
      },
    },
  })
  const slice = new TimeSlice()
  let html = ''
  for (const section of sectionsOf(markdown)) {
    html += marked.parser(marked.lexer(section))
    if (slice.isOver) await slice.next()
  }
  return html
}

/** The text cut before each heading. */
function sectionsOf(markdown: string): readonly string[] {
  const sections: string[] = []
  let isCode = false
  let open = ''
  for (const line of markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) isCode = !isCode
    if (!isCode && line.startsWith('#')) {
      sections.push(open)
      open = ''
    }
    open += `${line}\n`
  }
  return [...sections, open].filter(section => section !== '')
}

/** Text escaped for HTML. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Id of a heading: lower case, without punctuation, `-` for spaces. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** GitHub numbers headings of the same text: `limits`, `limits-1`. */
function unique(slug: string, used: Map<string, number>): string {
  const count = used.get(slug) ?? 0
  used.set(slug, count + 1)
  return count === 0 ? slug : `${slug}-${count}`
}
