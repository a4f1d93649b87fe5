/** Checks the English of the documents, SQL and CSS that git tracks. Prints each finding; exits with 1 if there is one. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { marked } from 'marked'
import { describeFinding, findingsIn } from './english/sentences.mjs'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(existsSync)

const readers = [
  {
    accepts: file => /^(?:docs\/(?:decisions\/)?)?[^/]+(?<!\.de)\.md$/.test(file),
    kind: 'doc',
    textsOf: textsOfMarkdown,
  },
  { accepts: file => file.endsWith('.sql'), kind: 'comment', textsOf: textsOfSql },
  { accepts: file => file.endsWith('.css'), kind: 'comment', textsOf: textsOfCss },
]

let read = 0
let found = 0
for (const file of files) {
  const reader = readers.find(({ accepts }) => accepts(file))
  if (reader === undefined) continue
  read += 1
  for (const text of reader.textsOf(readFileSync(file, 'utf8')))
    for (const finding of findingsIn(file, reader.kind, text)) {
      found += 1
      console.error(`${file}: ${describeFinding(finding)}`)
    }
}
if (read < 50) console.error(`Only ${read} documents were found: run this in the project's folder`)
process.exitCode = found === 0 && read >= 50 ? 0 : 1

/** Headings, paragraphs, list items and table cells, without code blocks. */
function textsOfMarkdown(source) {
  const texts = []
  const visit = token => {
    const isText = token.type === 'heading' || token.type === 'paragraph' || token.type === 'text'
    if (isText) texts.push(plainText(token))
    else if (token.type === 'table') texts.push(...[token.header, ...token.rows].flat().map(plainText))
    else (token.items ?? token.tokens ?? []).forEach(visit)
  }
  marked.lexer(source).forEach(visit)
  return texts
}

function plainText(token) {
  if (token.type === 'codespan') return '`code`'
  return token.tokens ? token.tokens.map(plainText).join('') : (token.text ?? '')
}

function textsOfSql(source) {
  return [...source.matchAll(/(?:^[ \t]*--[^\n]*\n)+/gm)].map(([block]) => block.replace(/^[ \t]*--/gm, ''))
}

function textsOfCss(source) {
  return [...source.matchAll(/\/\*([\s\S]*?)\*\//g)].map(([, text]) => text)
}
