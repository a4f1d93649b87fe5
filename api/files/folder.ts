import { randomInt } from 'node:crypto'
import { access, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileFormat } from '../../schema/requests/report.ts'
import type { FileColumn, FileReport } from './table.ts'

/** A file that has not expired. */
export interface OpenFile {
  readonly path: string
  readonly sizeBytes: number
  readonly report: FileReport
  readonly format: FileFormat
  /** Name of a downloaded file, without its extension. */
  readonly name: string
  readonly columns: readonly FileColumn[]
  /** Time zone of the company when the report was computed. */
  readonly timeZone: string
}

/** Content of a folder's `about.json`. */
export interface About extends Omit<OpenFile, 'path' | 'sizeBytes'> {
  readonly companyId: string
  readonly expiresAtMs: number
}

/** Highest id of a file: 32 bits. Ids are random, so they reveal nothing and processes need not coordinate. */
const maxId = 2 ** 31 - 1
/** No report takes this long: an older unfinished file was left by a process that was killed. */
const abandonedAfterMs = 3_600_000

/** Names of the files in the folder of an exported file. */
export const dataName = 'data'
export const aboutName = 'about.json'
const partEnd = '.part'

/** Creates a folder for an id that no other file has. */
export async function reserve(folder: string): Promise<{ id: number; part: string; complete: string }> {
  for (;;) {
    const id = randomInt(1, maxId)
    const complete = join(folder, String(id))
    const part = `${complete}${partEnd}`
    if (!(await makeFolder(part))) continue
    // The id is reserved, so no other process can complete a file with it from now on.
    if (!(await exists(complete))) return { id, part, complete }
    await rm(part, { recursive: true, force: true })
  }
}

async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

/** Names in a folder; empty if there is no folder. */
export function listNames(folder: string): Promise<readonly string[]> {
  return orIfMissing(readdir(folder), [])
}

/** Size of a file in bytes; null: the file was deleted meanwhile. */
export async function readSize(path: string): Promise<number | null> {
  return (await orIfMissing(stat(path), null))?.size ?? null
}

/** Minimum disk space of a file or folder: small ones may be stored in their inode, which is no smaller on average. */
const minEntryBytes = 4096

/** Disk space of a file's folder and the files in it, in bytes. 0: it was deleted meanwhile. */
export async function diskUsage(folder: string): Promise<number> {
  const names = await listNames(folder)
  const sizes = await Promise.all([folder, ...names.map(name => join(folder, name))].map(readBlocks))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

async function readBlocks(path: string): Promise<number> {
  const found = await orIfMissing(stat(path), null)
  return found ? Math.max(minEntryBytes, found.blocks * 512) : 0
}

/** Whether a folder can be deleted: its file has expired, or was never finished. */
export async function isOver(path: string, nowMs: number): Promise<boolean> {
  const isPart = path.endsWith(partEnd)
  const about = isPart ? null : await readAbout(path)
  if (about) return about.expiresAtMs <= nowMs
  // Uses the clock of the machine, as the file system does.
  const modifiedAtMs = isPart ? (await orIfMissing(stat(path), null))?.mtimeMs : undefined
  return modifiedAtMs !== undefined && Date.now() - modifiedAtMs > abandonedAfterMs
}

/** Reads the description of an exported file; null: there is no such file. */
export async function readAbout(path: string): Promise<About | null> {
  const text = await orIfMissing(readFile(join(path, aboutName), 'utf8'), null)
  if (text === null) return null
  // Written by `create` of the files, and complete if the folder has its final name.
  const about: About = JSON.parse(text)
  return about
}

/** Awaits a read; the fallback if the file or folder does not exist. */
async function orIfMissing<T, Fallback>(read: Promise<T>, fallback: Fallback): Promise<T | Fallback> {
  try {
    return await read
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return fallback
    throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
