import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { builtScript } from '../../../service/build/built-scripts.mjs'

const folders = 'api clickhouse connect demo ingest log processors respond schema service shared'.split(' ')

describe('builtScript', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'takt-built-'))
    for (const name of folders) mkdirSync(join(root, name))
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    write('package.json', '{}')
    write('package-lock.json', '{}')
    write('shared/greeting.ts', "export const greeting: string = 'first'")
    write('main.ts', "import { greeting } from './shared/greeting.ts'\nconsole.log(greeting, import.meta.url)")
    write('service/commands/key.ts', "console.log('key', process.argv[2])")
    write('api/import/xlsx/print-rows.ts', 'export {}')
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const greet = (text: string) =>
    writeFileSync(join(root, 'shared', 'greeting.ts'), `export const greeting: string = '${text}'`)
  const run = async (script: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [await builtScript(root, script), ...args])
    return stdout.trim()
  }

  it('Builds all scripts once, whose modules know the paths of their sources', async () => {
    expect(await run('main.ts')).to.equal(`first file://${join(root, 'main.ts')}`)
    const path = await builtScript(root, 'main.ts')
    writeFileSync(path, "console.log('not built again')")
    expect(await run('main.ts')).to.equal('not built again')
    expect(await run('service/commands/key.ts', 'argument')).to.equal('key argument')
  })

  it('Builds again after a change of a source, and keeps the three newest builds', async () => {
    const paths: string[] = []
    for (const text of ['first', 'second', 'third', 'fourth']) {
      greet(text)
      expect(await run('main.ts')).to.include(text)
      paths.push(await builtScript(root, 'main.ts'))
    }
    const names = paths.map(path => path.split('/').at(-2))
    expect(readdirSync(join(root, 'dist', 'service'))).to.have.members(names.slice(1))
  })

  it('Calls at the same time use one build', async () => {
    const paths = await Promise.all([1, 2, 3].map(() => builtScript(root, 'main.ts')))
    expect(new Set(paths).size).to.equal(1)
    expect(readdirSync(join(root, 'dist', 'service'))).to.have.length(1)
  })

  it('Rejects a source with an error, and stores nothing', async () => {
    writeFileSync(join(root, 'main.ts'), 'const = 1')
    const error = await builtScript(root, 'main.ts').catch((reason: unknown) => reason)
    expect(String(error)).to.include('main.ts:1:6')
    expect(readdirSync(join(root, 'dist', 'service'))).to.deep.equal([])
  })

  it('If the folder cannot be written, the error states what to do', async () => {
    writeFileSync(join(root, 'dist'), '')
    const error = await builtScript(root, 'main.ts').catch((reason: unknown) => reason)
    expect(String(error)).to.match(/^Error: Cannot write the built service: .*dist.*\nWhat to do: run 'npm run build'/)
  })

  it('A build depends on every folder that the project’s scripts import', async () => {
    const map: { sources: readonly string[] } = JSON.parse(
      readFileSync(`${await builtScript(process.cwd(), 'main.ts')}.map`, 'utf8'),
    )
    const imported = new Set(map.sources.map(path => path.replace(/^(?:\.\.\/)+/, '').split('/')[0]))
    expect(['main.ts', 'node_modules', ...folders]).to.include.members([...imported])
  })
})
