import { readFileSync } from 'node:fs'
import { assert } from 'chai'
import { marked } from 'marked'
import { guides } from '../../api/docs/guides.ts'

const root = new URL('../../', import.meta.url)

/** Opening tags of a guide: headings, paragraphs, items and rows, with the targets of its links and pictures, without texts. */
function structureOf(file: string): readonly string[] {
  const html = marked.parse(readFileSync(new URL(file, root), 'utf8'), { async: false })
  return [...html.matchAll(/<(?:a href="[^"]*"|img src="[^"]*"|\w+)/g)].map(([tag]) => tag)
}

describe('guides in German', () => {
  for (const { file, language } of guides.filter(guide => guide.language !== 'en'))
    it(`${file} has the structure, links and pictures of the guide in English`, () => {
      assert.deepEqual(structureOf(file), structureOf(file.replace(`.${language}.md`, '.md')))
    })
})
