import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'

/** More test files than this are not run for one mutant. */
const maxTests = 4

/**
 * Returns the test files of a product file: the test at the mirrored path, and those that import it. If there are none, those of the files
 * that import it, and so on.
 */
export function testsOf(file: string, tracked: readonly string[]): readonly string[] {
  const sources = tracked.filter(path => /\.tsx?$/.test(path))
  const imports = new Map(sources.map(path => [path, importsOf(path)]))
  const importsIn = (path: string) => imports.get(path) ?? []
  const seen = new Set([file])
  for (let level = [file]; level.length > 0;) {
    const importers = sources.filter(path => !seen.has(path) && importsIn(path).some(target => level.includes(target)))
    const mirrored = level
      .map(path => join('test', path.replace(/\.tsx?$/, '.test.ts')))
      .filter(path => imports.has(path))
    const tests = [...new Set([...mirrored, ...importers.filter(path => path.endsWith('.test.ts'))])]
    if (tests.length > 0) return tests.slice(0, maxTests)
    importers.forEach(path => seen.add(path))
    level = importers
  }
  return []
}

function importsOf(path: string): readonly string[] {
  return [...readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    normalize(join(path, '..', target)),
  )
}
