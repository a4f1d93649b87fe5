import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const product = [
  'shared',
  'schema',
  'log',
  'processors',
  'respond',
  'clickhouse',
  'ingest',
  'connect',
  'api',
  'demo',
  'service',
  'web',
]

/** Words that do not name the subject of a comment. */
const openings = ['What', 'Of', 'Whoever', 'Those', 'Which', 'The same']
const opening = String.raw`\s(?:${openings.join('|')})\b`
const comment = new RegExp(String.raw`(?:^|\s)(?://|/\*\*?|--)${opening}`)
const paragraph = new RegExp(String.raw`^\*${opening}`)

describe('comments', () => {
  it('No comment opens with a word that does not name its subject', () => {
    const files = ['main.ts', ...[...product, 'test', 'bench'].flatMap(sourcesIn)]
    const found = files.flatMap(file => findings(file, readFileSync(join(root, file), 'utf8')))
    expect(found, found.join('\n')).to.have.lengthOf(0)
    expect(files, 'sources are found').to.have.length.above(500)
    expect(
      files.filter(file => file.endsWith('.sql')),
      'migrations are found',
    ).to.have.length.above(3)
  })

  it('A comment that opens with a rejected word is found in every form', () => {
    for (const word of openings) {
      const text = [
        `/** ${word} it does. */`,
        `const a = 1 // ${word} it is`,
        `  // ${word} comes first`,
        '/**',
        ` * ${word} it gives.`,
        ' *',
        ` * ${word} it takes.`,
        ' */',
        `-- ${word} the table has`,
        `  day UInt32, -- ${word} it counts`,
      ].join('\n')
      expect(findings('a', text).map(finding => finding.split(' ')[0])).to.deep.equal(
        [1, 2, 3, 5, 7, 9, 10].map(line => `a:${line}`),
      )
    }
    const [, word = ''] = openings
    expect(findings('a.sql', `x\n  -- ${word} rows`)).to.deep.equal([`a.sql:2 -- ${word} rows`])
  })

  it('A rejected word elsewhere in a comment is accepted', () => {
    const [what = '', of = '', , those = ''] = openings
    const text = [
      '/** Offset of a record. */',
      '/** Whichever comes first. */',
      '/**',
      ' * Counts the rows.',
      ` * ${of} copies the first one counts.`,
      ' */',
      `const a = '${what} is it?'`,
      `// Asks. ${those} that are late answer 0.`,
    ].join('\n')
    expect(findings('a.ts', text)).to.deep.equal([])
  })
})

/** Sources in a folder and its subfolders, as paths in the project. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.(?:tsx?|sql)$/.test(file))
    .map(file => join(folder, file))
}

/** Comments of a file that open with one of the words, each with file and line. */
function findings(file: string, text: string): string[] {
  const lines = text.split('\n').map(line => line.trim())
  return lines.flatMap((line, index) => {
    const begins = ['/**', '/*', '*'].includes(lines[index - 1] ?? '')
    return comment.test(line) || (begins && paragraph.test(line)) ? [`${file}:${index + 1} ${line}`] : []
  })
}
