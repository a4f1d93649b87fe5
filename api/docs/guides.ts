import { readFile } from 'node:fs/promises'
import { type Language, languages } from '../../schema/languages.ts'
import { loadOnce } from '../static/load-once.ts'
import { StaticContent } from '../static/static-content.ts'
import { fileOf, furtherPages, guides, root } from './guide-list.ts'
import { addressOfGuide, guidePage, linkTo, listPage } from './guide-page.ts'
import { renderMarkdown } from './render-markdown.ts'

const texts = [...guides, ...furtherPages].flatMap(guide =>
  languages.flatMap(language => {
    const file = fileOf(guide, language)
    return file === undefined ? [] : [{ guide, language, file }]
  }),
)

/** A text of a guide in one language. */
type GuideText = (typeof texts)[number]

const pages = new Map(texts.map(text => [keyOf(text.guide.name, text.language), loadOnce(() => makePage(text))]))
const lists = new Map<Language, StaticContent>()

function keyOf(name: string, language: Language): string {
  return `${language} ${name}`
}

/** Returns the page of a guide in a language, otherwise in English, rendered once; undefined: unknown name. */
export function readGuide(name: string, language: Language): Promise<StaticContent> | undefined {
  return (pages.get(keyOf(name, language)) ?? pages.get(keyOf(name, 'en')))?.()
}

/** Returns the page that lists the guides, in a language. */
export function guideList(language: Language): StaticContent {
  const list = lists.get(language) ?? new StaticContent('html', listPage(guides, language))
  lists.set(language, list)
  return list
}

async function makePage(text: GuideText): Promise<StaticContent> {
  const markdown = await readFile(new URL(text.file, root), 'utf8')
  const content = await renderMarkdown(markdown, (href, label) => linkOf(href, label, text))
  return new StaticContent('html', guidePage(text.guide, text.language, content))
}

/** HTML of a link of a guide, or its label if the target is not served. */
function linkOf(href: string, label: string, from: GuideText): string {
  if (href.startsWith('#') || href.startsWith('https://')) return linkTo(href, label)
  const { pathname, hash } = new URL(href, `file:///${from.file}`)
  const path = pathname.slice(1)
  const target = texts.find(({ file }) => file === path)
  if (target) {
    const address = `${addressOfGuide(target.guide.name, target.language)}${hash}`
    return linkTo(address, label, { from: from.language, to: target.language })
  }
  const sample = /^api\/import\/((?:samples|mappings)\/[\w.-]+)$/.exec(path)?.[1]
  return sample === undefined ? label : linkTo(`/docs/${sample}`, label)
}
