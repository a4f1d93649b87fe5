import { readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/**
 * Returns the test files of a product file that reach it by imports, nearest first: the tests at the mirrored path, then those with the
 * fewest imports and folders between, then those with the most similar name.
 */
export function testsOf(file: string, tracked: readonly string[]): readonly string[] {
  const mirror = join('test', file.replace(/\.tsx?$/, '.test.ts'))
  const isMirror = (path: string) => path.replace(/\.propert(?:y|ies)(?=\.test\.ts$)/, '') === mirror
  const folders = dirname(mirror).split('/')
  return [...importersOf(file, tracked)]
    .filter(([path]) => path.endsWith('.test.ts'))
    .map(([path, imports]) => ({
      path,
      distance: isMirror(path) ? 0 : imports + folders.length - sharedStart(folders, dirname(path).split('/')),
      similarity: sharedStart(basename(mirror).split(''), basename(path).split('')),
    }))
    .sort((a, b) => a.distance - b.distance || b.similarity - a.similarity)
    .map(({ path }) => path)
}

/** Files that import a file directly or by others, with the number of imports from one to the other. */
function importersOf(file: string, tracked: readonly string[]): ReadonlyMap<string, number> {
  const known = new Map(tracked.filter(path => /\.tsx?$/.test(path)).map(path => [path, importsOf(path)]))
  // The helpers in the folder of a test are part of the test.
  const sources = [...known].map(([path, own]) => {
    const helpers = path.endsWith('.test.ts') ? own.filter(target => dirname(target) === dirname(path)) : []
    return { path, imports: [...own, ...helpers.flatMap(helper => known.get(helper) ?? [])] }
  })
  const distances = new Map([[file, 0]])
  for (let distance = 1, level = [file]; level.length > 0; distance += 1) {
    level = sources
      .filter(({ path, imports }) => !distances.has(path) && imports.some(target => level.includes(target)))
      .map(({ path }) => path)
    for (const path of level) distances.set(path, distance)
  }
  return distances
}

function sharedStart(a: readonly string[], b: readonly string[]): number {
  const end = a.findIndex((part, index) => part !== b[index])
  return end === -1 ? a.length : end
}

function importsOf(path: string): readonly string[] {
  return [...readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    normalize(join(path, '..', target)),
  )
}
