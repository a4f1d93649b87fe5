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
import { buildApp, type BuiltFiles, hashInputs, pageName, typeOf } from './build-app.ts'

const projectRoot = fileURLToPath(new URL('../..', import.meta.url))

let loading: Promise<App> | undefined

/**
 * The web application, held in memory. The first start builds it and keeps it in `dist/app`, by a hash of its sources; later starts read
 * it from there. Where that folder cannot be written, each start builds it. `onNotKept` is told why the files could not be kept.
 */
export function loadApp(onNotKept: (error: unknown) => void): Promise<App> {
  loading ??= load(projectRoot, onNotKept)
  return loading
}

async function load(root: string, onNotKept: (error: unknown) => void): Promise<App> {
  const folder = join(root, 'dist', 'app')
  const hash = hashInputs(root)
  const kept = readBuilt(join(folder, hash))
  const files = kept ?? (await buildApp(root))
  if (!kept) keepBuilt(files, { folder, hash, onNotKept })
  const page = must(files.get(pageName), pageName)
  const icon = must([...files].find(([name]) => /^icon-.*\.svg$/.test(name))?.[1], 'icon.svg')
  return { page: page.bytes.toString(), icon, files: new Map([...files].filter(([name]) => name !== pageName)) }
}

function must(file: AppFile | undefined, name: string): AppFile {
  if (!file) throw new Error(`invariant: the built application has a file ${name}`)
  return file
}

const encodings = { brotli: '.br', gzip: '.gz' } as const

/** Files that an earlier start has built; null: there are none, or they cannot be read. */
export function readBuilt(folder: string): BuiltFiles | null {
  try {
    const names = readdirSync(folder)
    if (!names.includes(pageName)) return null
    const bytesOf = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : null)
    const isPlain = (name: string) => Object.values(encodings).every(ending => !name.endsWith(ending))
    return new Map(
      names.filter(isPlain).map((name): [string, AppFile] => [
        name,
        {
          type: typeOf(name),
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

interface Keeping {
  /** Holds a folder for each hash. */
  readonly folder: string
  readonly hash: string
  readonly onNotKept: (error: unknown) => void
}

/**
 * Keeps the files for later starts, also of other users of the system, in place of those of other sources. Never throws: what is in
 * memory is served all the same.
 */
export function keepBuilt(files: BuiltFiles, { folder, hash, onNotKept }: Keeping): void {
  const made = join(folder, `.${randomUUID()}`)
  try {
    makeFolders(folder)
    const others = readdirSync(folder).filter(name => isOver(folder, name))
    makeFolders(made)
    for (const [name, { bytes, brotli, gzip }] of files) {
      writeShared(join(made, name), bytes)
      if (brotli) writeShared(join(made, name + encodings.brotli), brotli)
      if (gzip) writeShared(join(made, name + encodings.gzip), gzip)
    }
    renameSync(made, join(folder, hash))
    for (const name of others) rmSync(join(folder, name), { recursive: true, force: true })
  } catch (error) {
    remove(made)
    // Another process was first.
    if (!existsSync(join(folder, hash, pageName))) onNotKept(error)
  }
}

/** The service keeps its files private, but these are open to all: other users start it from the same folder. */
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

/** A build that takes longer was killed. */
const longestBuildMs = 10 * 60_000

/** Whether a folder is of other sources, or of a build that was killed. */
function isOver(folder: string, name: string): boolean {
  return !name.startsWith('.') || Date.now() - statSync(join(folder, name)).mtimeMs > longestBuildMs
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // A later build removes it.
  }
}
