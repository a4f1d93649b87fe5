import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('npm run unused', function () {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-unused-'))
    cpSync(join(root, 'knip.json'), join(folder, 'knip.json'))
    cpSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    mkdirSync(join(folder, 'api'))
    writeFileSync(join(folder, 'api', 'a.ts'), 'export const a = 1\n')
    writeFileSync(join(folder, 'main.ts'), "import { a } from './api/a.ts'\nprocess.stdout.write(String(a))\n")
    writePackage([])
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  function writePackage(dependencies: readonly string[]): void {
    const scripts = { start: 'node --import tsx main.ts' }
    const all = Object.fromEntries(['tsx', ...dependencies].map(name => [name, '*']))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts, dependencies: all }))
  }

  it('A project without unused code has no findings', () => {
    expect(faults(folder)).to.deep.equal([])
  })

  it('An unused export is found', () => {
    writeFileSync(join(folder, 'api', 'a.ts'), 'export const a = 1\nexport const b = 2\n')
    expect(faults(folder)).to.deep.equal(['exports api/a.ts b'])
  })

  it('An unused file is found', () => {
    writeFileSync(join(folder, 'api', 'b.ts'), 'export const b = 1\n')
    expect(faults(folder)).to.deep.equal(['files api/b.ts api/b.ts'])
  })

  it('An unused dependency is found', () => {
    writePackage(['express'])
    expect(faults(folder)).to.deep.equal(['dependencies package.json express'])
  })

  it('Patterns that match no file make all dependencies unused instead of hiding findings', () => {
    writeFileSync(join(folder, 'api', 'a.ts'), "import express from 'express'\nexport const a = express\n")
    writePackage(['express'])
    expect(faults(folder)).to.deep.equal([])
    writeFileSync(join(folder, 'knip.json'), JSON.stringify({ entry: ['*.none'], project: ['**/*.none'] }))
    expect(faults(folder)).to.include('dependencies package.json express')
  })
})

interface Issues {
  readonly file: string
  readonly [kind: string]: unknown
}

/** Everything unused in a folder: its kind, file and name. */
function faults(folder: string): string[] {
  const args = ['--reporter', 'json', '--no-config-hints']
  const { stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', 'knip'), args, {
    cwd: folder,
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  const { issues }: { readonly issues: readonly Issues[] } = JSON.parse(stdout)
  return issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, found]) =>
      (Array.isArray(found) ? found : []).map(({ name }: { readonly name: string }) => `${kind} ${file} ${name}`),
    ),
  )
}
