import { assert } from 'chai'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('The check of commit subjects', () => {
  for (const subject of ['api/graphql: limit rows', 'log/kafka, api: process headers once'])
    it(`accepts "${subject}"`, () => assert.equal(lint(subject), 0))

  for (const subject of [
    'docs: adds a page',
    'docs: added a page',
    'A subject without an area',
    'api: limit the rows of a response that reaches a list through a to-one relation',
    'api: limit rows.',
  ])
    it(`rejects "${subject}"`, () => assert.equal(lint(subject), 1))
})

/** Exit code of commitlint for a commit with this subject. */
function lint(subject: string): number | null {
  return spawnSync('node_modules/.bin/commitlint', { cwd: root, input: subject }).status
}
