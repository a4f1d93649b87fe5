import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A package whose main file is in its folder. */
export interface InstalledPackage {
  readonly folder: string
  /** Name and version: `ws 8.18.0`. */
  readonly source: string
}

/** Finds a package without loading it; null: it is not installed. */
export function findPackage(name: string, require: NodeJS.Require): InstalledPackage | null {
  try {
    const folder = dirname(require.resolve(name))
    const { version }: { version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { folder, source: `${name} ${version}` }
  } catch {
    return null
  }
}
