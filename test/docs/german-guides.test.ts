import { readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { assert } from 'chai'
import { fileOf, guides, root } from '../../api/docs/guide-list.ts'
import { renderMarkdown } from '../../api/docs/render-markdown.ts'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'
import { type Block, blocksOf } from './guide-blocks.ts'

const read = (file: string) => readFileSync(new URL(file, root), 'utf8')

const translated = guides.flatMap(guide => {
  const german = fileOf(guide, 'de')
  return german === undefined ? [] : [{ english: guide.file, german }]
})

/** German texts of the application by the English ones; an English text may have several. */
const germanLabels = new Map<string, Set<string>>()
collectLabels(en, de)

function collectLabels(english: object, german: object): void {
  for (const [name, text] of Object.entries(english)) {
    const other: unknown = Reflect.get(german, name)
    if (isObject(text) && isObject(other)) collectLabels(text, other)
    else if (typeof text === 'string' && typeof other === 'string')
      germanLabels.set(text, (germanLabels.get(text) ?? new Set()).add(other))
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Ids of the headings of a text, in order. */
async function anchorsOf(file: string): Promise<readonly string[]> {
  const html = await renderMarkdown(read(file), (_, label) => label)
  return [...html.matchAll(/<h\d id="([^"]*)"/g)].map(([, id = '']) => id)
}

/** The target of a link of an English text as a German one has it: the German text, if it exists, and its heading. */
async function germanTarget(href: string, from: string): Promise<string> {
  const [path = '', anchor] = href.split('#')
  const file = path === '' ? from : new URL(path, `file:///${from}`).pathname.slice(1)
  const target = translated.find(({ english }) => english === file)
  if (target === undefined) return href
  const germanPath = path.replace(/\.md$/, '.de.md')
  if (anchor === undefined) return germanPath
  const index = (await anchorsOf(target.english)).indexOf(anchor)
  return `${germanPath}#${(await anchorsOf(target.german))[index] ?? assert.fail(`${from}: no heading ${href}`)}`
}

/** A block of an English text as it must be in German, with the labels of the application that `german` uses. */
async function expectedIn({ links, code, ...block }: Block, german: Block, from: string): Promise<Block> {
  return {
    ...block,
    links: (await Promise.all(links.map(href => germanTarget(href, from)))).toSorted(),
    code: code.map(text => german.code.find(each => germanLabels.get(text)?.has(each) ?? false) ?? text).toSorted(),
    text: german.text,
  }
}

describe('guides in German', () => {
  for (const { english, german } of translated)
    it(`${german} has the headings, tables, code, links, pictures and numbers of ${english}`, async () => {
      const originals = blocksOf(read(english))
      const blocks = blocksOf(read(german))
      assert.deepEqual(
        blocks.map(({ kind }) => kind),
        originals.map(({ kind }) => kind),
      )
      const pairs = await Promise.all(
        blocks.map(
          async (block, i) => [block, await expectedIn(originals[i] ?? assert.fail(), block, english)] as const,
        ),
      )
      const different = pairs.filter(([block, expected]) => !isDeepStrictEqual(block, expected))
      assert.deepEqual(
        different.map(([block]) => block),
        different.map(([, expected]) => expected),
      )
    })

  it('Each link of the application to a guide has the language of its reader, and leads to a German guide', () => {
    const web = new URL('web/', root)
    const sources = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.tsx'))
    const source = sources.map(file => readFileSync(new URL(file, web), 'utf8')).join('\n')
    const links = [...source.matchAll(/.*docs\/guides(?:\/([\w-]+))?.*/g)]
    assert.isAtLeast(links.length, 4)
    const names = guides.filter(guide => fileOf(guide, 'de') !== undefined).map(guide => guide.name)
    for (const [line, name] of links) {
      if (line.includes("['docs/guides', t.developers.guides]")) continue
      assert.include(line, '{ language }')
      if (name !== undefined) assert.include(names, name)
    }
  })
})
