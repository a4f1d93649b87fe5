import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App, AppFile } from '../../api/app/app-files.ts'
import { buildApp, type BuiltFiles, hashInputs, pageName, typeOf } from './build-app.ts'

const projectRoot = fileURLToPath(new URL('../..', import.meta.url))

let loading: Promise<App> | undefined

/**
 * The web application, held in memory. The first start builds it and keeps it in `dist/app`, by a hash of its sources; later starts read
 * it from there. Where that folder cannot be written, each start builds it.
 */
export function loadApp(): Promise<App> {
  loading ??= load(projectRoot)
  return loading
}

async function load(root: string): Promise<App> {
  const folder = join(root, 'dist', 'app')
  const hash = hashInputs(root)
  const kept = readBuilt(join(folder, hash))
  const files = kept ?? (await buildApp(root))
  if (!kept) keep(files, folder, hash)
  const page = must(files.get(pageName), pageName)
  const icon = must([...files].find(([name]) => /^icon-.*\.svg$/.test(name))?.[1], 'icon.svg')
  return { page: page.bytes.toString(), icon, files: new Map([...files].filter(([name]) => name !== pageName)) }
}

function must(file: AppFile | undefined, name: string): AppFile {
  if (!file) throw new Error(`invariant: the built application has a file ${name}`)
  return file
}

const encodings = { brotli: '.br', gzip: '.gz' } as const

/** Files that an earlier start has built; null: there are none, or another user's. */
function readBuilt(folder: string): BuiltFiles | null {
  try {
    const names = readdirSync(folder)
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
  } catch (error) {
    if (isCode(error, 'ENOENT', 'EACCES')) return null
    throw error
  }
}

/** Keeps the files for later starts, in place of those of other sources. */
function keep(files: BuiltFiles, folder: string, hash: string): void {
  const made = join(folder, `.${randomUUID()}`)
  try {
    const others = readdirIfAny(folder).filter(name => !name.startsWith('.'))
    mkdirSync(made, { recursive: true })
    for (const [name, file] of files) {
      writeFileSync(join(made, name), file.bytes)
      for (const [encoding, ending] of [
        ['brotli', encodings.brotli],
        ['gzip', encodings.gzip],
      ] as const) {
        const bytes = file[encoding]
        if (bytes) writeFileSync(join(made, name + ending), bytes)
      }
    }
    renameSync(made, join(folder, hash))
    for (const name of others) rmSync(join(folder, name), { recursive: true, force: true })
  } catch (error) {
    // A folder that nobody may write to, or another process that was first: what is in memory is served.
    if (!isCode(error, 'EROFS', 'EACCES', 'EPERM', 'EEXIST', 'ENOTEMPTY', 'ENOSPC')) throw error
    rmSync(made, { recursive: true, force: true })
  }
}

function readdirIfAny(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return []
    throw error
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
