import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folders whose tests mirror their paths; the other folders of `test` contain tests of the whole product. */
const mirrored = [
  'api',
  'clickhouse',
  'connect',
  'demo',
  'ingest',
  'lint',
  'log',
  'processors',
  'respond',
  'schema',
  'service',
  'shared',
]

/** Test files in another folder than the code that their name suggests, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {}

describe('test files', () => {
  it('Every test file is in a folder that `npm test` reads', () => {
    expect(readdirSync(join(root, 'test')).filter(name => name.endsWith('.test.ts'))).to.deep.equal([])
  })

  it('Every test file of a part of the product is in the folder of the tested code', () => {
    const code = mirrored.flatMap(filesIn).filter(path => /\.(ts|js|mjs)$/.test(path))
    const tests = mirrored.flatMap(folder => filesIn(join('test', folder))).filter(path => path.endsWith('.test.ts'))
    const misplaced = tests
      .filter(path => !(path in exceptions))
      .flatMap(path => {
        const folder = expectedFolder(path, code)
        return folder === dirname(path) ? [] : [`${path}: move it to ${folder}`]
      })
    expect(misplaced).to.deep.equal([])
    expect(Object.keys(exceptions).filter(path => !tests.includes(path))).to.deep.equal([])
  })
})

/**
 * The folder in which a test file belongs. A test that is named after a module is beside no other module: the module is in the same folder,
 * below it, or imported. Other tests are in a folder with code.
 */
function expectedFolder(test: string, code: readonly string[]): string {
  const folder = dirname(test).replace(/^test\//, '')
  const name = basename(test).replace(/(\.propert(y|ies))?\.test\.ts$/, '')
  const named = code.filter(path => basename(path, extname(path)) === name)
  if (named.some(path => dirname(path) === folder)) return dirname(test)
  const imports = importsOf(test)
  const elsewhere = named.filter(
    path => path.startsWith(`${folder}/`) || (path.startsWith(`${folder.split('/')[0]}/`) && imports.includes(path)),
  )
  if (elsewhere.length > 0) return elsewhere.map(path => join('test', dirname(path))).join(' or ')
  return code.some(path => dirname(path) === folder) ? dirname(test) : 'a folder whose counterpart contains code'
}

function importsOf(path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) => normalize(join(dirname(path), target)))
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
}
