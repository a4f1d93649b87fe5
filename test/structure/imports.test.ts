import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rules = join(root, '.dependency-cruiser.cjs')
const cruiser = join(root, 'node_modules', '.bin', 'depcruise')
const folders = [
  'main.ts',
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
]

interface Cruise {
  readonly summary: {
    readonly totalCruised: number
    readonly violations: readonly {
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }[]
  }
}

describe('imports of the product', function () {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-imports-'))
    for (const name of folders) if (!name.endsWith('.ts')) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'main.ts'), "import './api/a.ts'\n")
    writeFileSync(join(folder, 'api', 'a.ts'), 'export const a = 1\n')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('Imports of the product run one way, without cycles of files or folders', () => {
    const { totalCruised, violations } = cruise(root)
    expect(violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)).to.deep.equal([])
    expect(totalCruised, 'the tool reads TypeScript').to.be.above(500)
  })

  it('An order in each folder names every subfolder', () => {
    expect(pairsWithoutOrder()).to.deep.equal([])
  })

  it('An import against the direction is rejected', () => {
    writeFileSync(join(folder, 'shared', 'b.ts'), "import { a } from '../api/a.ts'\nexport const b = a\n")
    expect(rulesBroken(folder)).to.deep.equal(['shared-imports'])
  })

  it('An import against the order of the subfolders, or of the files beside them, is rejected', () => {
    for (const name of ['json', 'routes']) mkdirSync(join(folder, 'api', name))
    writeFileSync(join(folder, 'api', 'routes', 'b.ts'), 'export const b = 1\n')
    writeFileSync(join(folder, 'api', 'json', 'c.ts'), "import { b } from '../routes/b.ts'\nexport const c = b\n")
    expect(rulesBroken(folder)).to.deep.equal(['order-in-api'])
    writeFileSync(join(folder, 'api', 'json', 'c.ts'), "import { a } from '../a.ts'\nexport const c = a\n")
    expect(rulesBroken(folder)).to.deep.equal(['order-in-api'])
  })

  it('A cycle of imports is rejected', () => {
    writeFileSync(join(folder, 'api', 'a.ts'), "import { b } from './b.ts'\nexport const a = () => b\n")
    writeFileSync(join(folder, 'api', 'b.ts'), "import { a } from './a.ts'\nexport const b = () => a\n")
    expect(rulesBroken(folder)).to.include('no-circle')
  })

  it('Two folders that import each other are rejected', () => {
    for (const [name, other] of [
      ['one', 'other'],
      ['other', 'one'],
    ] as const) {
      mkdirSync(join(folder, 'api', name))
      writeFileSync(join(folder, 'api', name, 'first.ts'), `export const ${name} = 1\n`)
      writeFileSync(
        join(folder, 'api', name, 'second.ts'),
        `import { ${other} } from '../${other}/first.ts'\nexport const second = ${other}\n`,
      )
    }
    expect(rulesBroken(folder)).to.deep.equal(['no-circle-of-folders'])
  })

  it('`npm run imports` fails if it reads only a few modules', () => {
    const { status, stdout, stderr } = runScript(folder)
    expect(stdout).to.include('no dependency violations found (2 modules')
    expect(stderr).to.include('Only 2 modules were read')
    expect(status).to.equal(1)
  })

  it('The check of imports fails with a rejected import, and passes if enough modules are read', () => {
    const check = (input: string) =>
      spawnSync(process.execPath, [join(root, 'lint', 'enough-modules.mjs')], { input, encoding: 'utf8' })
    const sound = '✔ no dependency violations found (907 modules, 4445 dependencies cruised)\n'
    expect(check(sound)).to.include({ status: 0, stdout: sound, stderr: '' })
    expect(
      check('x 1 dependency violations (1 errors, 0 warnings). 907 modules, 4445 dependencies cruised.').status,
    ).to.equal(1)
    expect(check('').status).to.equal(1)
  })
})

/** Runs the script of package.json, with the rules of the product, in another folder. */
function runScript(cwd: string) {
  for (const name of ['.dependency-cruiser.cjs', 'lint', 'node_modules'])
    if (!readdirSync(cwd).includes(name)) symlinkSync(join(root, name), join(cwd, name))
  const { scripts }: { readonly scripts: { readonly imports: string } } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const path = [join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter)
  return spawnSync('sh', ['-c', scripts.imports], { cwd, encoding: 'utf8', env: { ...process.env, PATH: path } })
}

interface Rule {
  readonly name: string
  readonly from: { readonly path?: string | readonly string[] }
  readonly to: { readonly path?: string | readonly string[] }
}

/** Parts of a folder, including its own files, of which each may import the other. */
function pairsWithoutOrder(): string[] {
  const { forbidden }: { readonly forbidden: readonly Rule[] } = createRequire(import.meta.url)(rules)
  const forbids = (from: string, to: string) =>
    forbidden.some(
      rule => rule.name.startsWith('order-in-') && isOneOf(rule.from.path, from) && isOneOf(rule.to.path, to),
    )
  return [...partsOfFolders()].flatMap(([parent, parts]) =>
    pairsOf([...parts])
      .map(pair => pair.map(part => (part === '.' ? `${parent}/a.ts` : `${parent}/${part}/a.ts`)))
      .filter(([one = '', other = '']) => !forbids(one, other) && !forbids(other, one))
      .map(pair => pair.join(' and ')),
  )
}

function isOneOf(patterns: string | readonly string[] = [], path: string): boolean {
  return [patterns].flat().some(pattern => new RegExp(pattern).test(path))
}

/** The subfolders of each folder, and '.' for its own files. */
function partsOfFolders(): ReadonlyMap<string, ReadonlySet<string>> {
  const parts = new Map<string, Set<string>>()
  const top = folders.filter(name => !name.endsWith('.ts'))
  const files = top.flatMap(name =>
    readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map(file => join(name, file)),
  )
  for (const file of files.filter(name => name.endsWith('.ts'))) {
    const steps = file.split(sep)
    for (let depth = 1; depth < steps.length; depth++) {
      const parent = steps.slice(0, depth).join('/')
      const part = depth === steps.length - 1 ? '.' : (steps[depth] ?? '.')
      parts.set(parent, (parts.get(parent) ?? new Set()).add(part))
    }
  }
  return parts
}

function pairsOf(items: readonly string[]): string[][] {
  return items.flatMap((one, i) => items.slice(i + 1).map(other => [one, other]))
}

function rulesBroken(folder: string): string[] {
  return [...new Set(cruise(folder).violations.map(({ rule }) => rule.name))]
}

function cruise(folder: string): Cruise['summary'] {
  const args = [cruiser, '--config', rules, '--no-progress', '--output-type', 'json', ...folders]
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  })
  if (stdout === '') throw new Error(stderr)
  const { summary }: Cruise = JSON.parse(stdout)
  return summary
}
