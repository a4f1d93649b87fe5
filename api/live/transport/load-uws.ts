import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findPackage } from './installed-package.ts'
import type { Uws } from './uws.ts'

/** uWebSockets and its package. */
export interface LoadedUws {
  readonly uws: Uws
  /** Package and version: `uWebSockets.js 20.51.0`. */
  readonly source: string
}

/**
 * The package of the authors of uWebSockets, which is installed from its repository: the npm registry does not have it.
 */
const officialPackage = 'uWebSockets.js'

/**
 * Binaries of uWebSockets in the npm registry. The packages state no author and no repository: only these files are loaded, by the SHA-256 of
 * `uws.node`.
 */
const binaries: Readonly<Record<string, string>> = {
  // Version 20.51.4
  '@uwsjs/linux-x64-20': '4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89',
  // Version 20.51.4
  '@uwsjs/linux-x64-22': 'f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c',
  // Version 20.69.0
  '@uwsjs/linux-x64-24': '177efdc682425d754474bd30f9586c487fa6694f790f3406a23885d0e61c07a0',
}

const binaryPackage = `@uwsjs/${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`

/**
 * Loads the official package if it is installed, otherwise the binary of the registry. Null: none is usable on this platform; `onFailure` gets
 * the cause if one is installed. `from`: the file whose packages are searched.
 */
export function loadUws(onFailure: (cause: string) => void, from: string = import.meta.url): LoadedUws | null {
  const require = createRequire(from)
  for (const name of [officialPackage, binaryPackage]) {
    const found = findPackage(name, require)
    if (found === null) continue
    try {
      const uws: Uws = require(name === officialPackage ? name : verifiedBinary(found.folder))
      return { uws, source: found.source }
    } catch (error) {
      onFailure(`${found.source} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return null
}

/** Returns the path of the binary; throws if its SHA-256 is not listed. */
function verifiedBinary(folder: string): string {
  const path = join(folder, 'uws.node')
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
  if (digest === binaries[binaryPackage]) return path
  throw new Error(`the SHA-256 of ${path} is ${digest}, which is not in the list of api/live/transport/load-uws.ts`)
}
