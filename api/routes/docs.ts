import { readFile } from 'node:fs/promises'
import { notFound } from '../../schema/errors.ts'
import { languages } from '../../schema/languages.ts'
import { named, oneOf, partial } from '../../schema/types.ts'
import { guideList, readGuide } from '../docs/guides.ts'
import { pagePolicy } from '../docs/page-policy.ts'
import { route } from '../http/route.ts'
import { loadOnce } from '../static/load-once.ts'
import { StaticContent } from '../static/static-content.ts'

const page = new URL('../docs/docs.html', import.meta.url)

const policy = pagePolicy()

const content = loadOnce(async () => new StaticContent('html', await readFile(page)))

const getDocs = route('GET /docs', 'getDocsPage', {
  summary: 'The API reference as an interactive page',
  scope: 'public',
  output: 'html',
  handle({ setHeader }) {
    setHeader('Content-Security-Policy', policy)
    return content()
  },
})

const query = partial({ language: named('GuideLanguage', oneOf(languages, { default: 'en' })) })

const getGuides = route('GET /docs/guides', 'getGuideList', {
  summary: 'The list of guides as a page',
  scope: 'public',
  query,
  output: 'html',
  handle: ({ query: { language = 'en' } }) => guideList(language),
})

const getGuide = route('GET /docs/guides/:name', 'getGuide', {
  example: { name: 'api-guide' },
  summary: 'A guide as a page, in English if it does not exist in the language',
  scope: 'public',
  query,
  output: 'html',
  handle({ params, query: { language = 'en' } }) {
    const page = readGuide(params['name'] ?? '', language)
    if (!page) throw notFound()
    return page
  },
})

export const docsRoutes = [getDocs, getGuides, getGuide]
