import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A folder of the application may import the folders before it. '.' stands for files of the folder itself. */
const orders: Readonly<Record<string, readonly string[]>> = {
  web: ['texts', 'router', 'time', 'data', 'ui', 'records', 'reports', 'screens', 'application', '.'],
  'web/screens': [
    'sign-in',
    'account',
    'set-up',
    'connect',
    'connectors',
    'developers',
    'keys',
    'settings',
    'jobs',
    'now',
    'alerts',
    'incidents',
    'floor',
    'wall',
    'machine',
    'downtime',
    'alarms',
    'performance',
    'quality',
  ],
}

interface Import {
  readonly from: string
  readonly to: string
}

describe('imports of the application', () => {
  it('Imports run one way between the folders of the application, and between its screens', () => {
    const imports = importsOfApplication()
    expect(imports.flatMap(refusalOf)).to.deep.equal([])
    expect(imports, 'imports are found').to.have.length.above(600)
  })

  it('An import against the order, or from a folder that the order does not name, is rejected', () => {
    const refused = [
      ['web/texts/en.ts', 'web/screens/alarms/texts.ts'],
      ['web/ui/chart.tsx', 'web/main.tsx'],
      ['web/screens/floor/floor.tsx', 'web/screens/quality/quality.tsx'],
      ['web/new/a.ts', 'web/ui/icon.tsx'],
    ].map(([from = '', to = '']) => ({ from, to }))
    expect(refused.flatMap(refusalOf)).to.have.lengthOf(refused.length)
  })

  it('Imports are found in every form', () => {
    const text = "import { a } from '../ui/a.ts'\nimport type { B } from './b.ts'\nimport('./c.tsx')\nimport './d.css'"
    expect(importsIn('web/data/x.ts', text).map(({ to }) => to)).to.deep.equal([
      'web/ui/a.ts',
      'web/data/b.ts',
      'web/data/c.tsx',
      'web/data/d.css',
    ])
  })
})

function importsOfApplication(): readonly Import[] {
  return readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.tsx?$/.test(file))
    .flatMap(file => importsIn(`web/${file}`, readFileSync(join(root, 'web', file), 'utf8')))
}

function importsIn(file: string, text: string): readonly Import[] {
  const named = text.matchAll(/(?:^|\n|\s|\()(?:from |import |import\()'(\.[^']+)'/g)
  return [...named].map(([, to = '']) => ({ from: file, to: normalize(join(dirname(file), to)) }))
}

/** An import against the order, or of a folder that the order does not name. */
function refusalOf({ from, to }: Import): string[] {
  return Object.entries(orders).flatMap(([folder, order]) => {
    const [one, other] = [partOf(folder, from), partOf(folder, to)]
    if (one === undefined || other === undefined || one === other) return []
    const [rank, otherRank] = [order.indexOf(one), order.indexOf(other)]
    return rank > otherRank && otherRank >= 0 ? [] : [`${from} imports ${to}`]
  })
}

/** The subfolder of a folder in which a file is. */
function partOf(folder: string, file: string): string | undefined {
  if (!file.startsWith(`${folder}/`)) return undefined
  const steps = file.slice(folder.length + 1).split('/')
  return steps.length === 1 ? '.' : steps[0]
}
