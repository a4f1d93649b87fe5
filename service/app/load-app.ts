import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App, AppFile } from '../../api/app/app-files.ts'
import { buildApp, type BuiltFiles, hashInputs, pageName, mediaTypeOf } from './build-app.ts'

const projectRoot = fileURLToPath(new URL('../..', import.meta.url))

let loading: Promise<App> | undefined

/**
 * Returns the files of the web application, which this process holds in memory. The first start builds them and stores
 * them in `dist/app` under a hash of the sources; later starts read them. If the folder cannot be written, each start
 * builds them, and `onWriteError` receives the error.
 */
export function loadApp(onWriteError: (error: unknown) => void): Promise<App> {
  loading ??= load(projectRoot, onWriteError)
  return loading
}

async function load(root: string, onWriteError: (error: unknown) => void): Promise<App> {
  const folder = join(root, 'dist', 'app')
  const hash = hashInputs(root)
  const stored = readBuiltFiles(join(folder, hash))
  const files = stored ?? (await buildApp(root))
  if (!stored) storeBuiltFiles(files, { folder, hash, onWriteError })
  const page = requireFile(files.get(pageName), pageName)
  const icon = requireFile([...files].find(([name]) => /^icon-.*\.svg$/.test(name))?.[1], 'icon.svg')
  return { page: page.bytes.toString(), icon, files: new Map([...files].filter(([name]) => name !== pageName)) }
}

function requireFile(file: AppFile | undefined, name: string): AppFile {
  if (!file) throw new Error(`invariant: the built application has a file ${name}`)
  return file
}

const encodings = { brotli: '.br', gzip: '.gz' } as const

/** Reads the files that an earlier start built; returns null if they are missing or unreadable. */
export function readBuiltFiles(folder: string): BuiltFiles | null {
  try {
    const names = readdirSync(folder)
    if (!names.includes(pageName)) return null
    const bytesOf = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : null)
    const isPlain = (name: string) => Object.values(encodings).every(ending => !name.endsWith(ending))
    return new Map(
      names.filter(isPlain).map((name): [string, AppFile] => [
        name,
        {
          type: mediaTypeOf(name),
          bytes: readFileSync(join(folder, name)),
          brotli: bytesOf(name + encodings.brotli),
          gzip: bytesOf(name + encodings.gzip),
        },
      ]),
    )
  } catch {
    return null
  }
}

interface StoreOptions {
  /** Parent folder of the builds, one subfolder per hash. */
  readonly folder: string
  readonly hash: string
  readonly onWriteError: (error: unknown) => void
}

/**
 * Stores a build for later starts, also by other users of the system, and deletes builds of other sources. Never
 * throws, because this process serves the files from memory.
 */
export function storeBuiltFiles(files: BuiltFiles, { folder, hash, onWriteError }: StoreOptions): void {
  const temporary = join(folder, `.${randomUUID()}`)
  try {
    makeFolders(folder)
    const outdated = readdirSync(folder).filter(name => isOutdated(folder, name))
    makeFolders(temporary)
    for (const [name, { bytes, brotli, gzip }] of files) {
      writeShared(join(temporary, name), bytes)
      if (brotli) writeShared(join(temporary, name + encodings.brotli), brotli)
      if (gzip) writeShared(join(temporary, name + encodings.gzip), gzip)
    }
    renameSync(temporary, join(folder, hash))
    for (const name of outdated) rmSync(join(folder, name), { recursive: true, force: true })
  } catch (error) {
    remove(temporary)
    // If another process has stored the same build, its files are used.
    if (!existsSync(join(folder, hash, pageName))) onWriteError(error)
  }
}

/** All users may read the build, because several users may start the service from the same folder. */
const folderMode = 0o755
const fileMode = 0o644

function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  makeFolders(dirname(folder))
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, folderMode)
}

function writeShared(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes)
  chmodSync(path, fileMode)
}

/** A temporary folder older than this belongs to a build that was killed. */
const maxBuildMs = 10 * 60_000

/** Whether a folder belongs to other sources, or to a build that was killed. */
function isOutdated(folder: string, name: string): boolean {
  return !name.startsWith('.') || Date.now() - statSync(join(folder, name)).mtimeMs > maxBuildMs
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // A folder that cannot be removed now is removed by a later build.
  }
}
