import { randomInt } from 'node:crypto'
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Store } from '../../clickhouse/store.ts'
import type { CompanyRecord } from '../../schema/records.ts'
import { writeCsv } from './csv.ts'
import { type ParquetExport, writeParquet } from './parquet.ts'
import type { Column, FileFormat, FileReport, FileTarget, StoredTable, Table } from './table.ts'

/** A report to be kept as a file. */
export interface NewFile {
  readonly company: CompanyRecord
  readonly report: FileReport
  readonly format: FileFormat
  readonly table: Table | StoredTable
  readonly signal?: AbortSignal
}

/** Where a kept file is found, and until when. */
export interface KeptFile {
  /** Path of its address: `/csv/production/123`. */
  readonly url: string
  readonly expiresAtMs: number
}

/** A file that may be read now. */
export interface OpenFile {
  readonly path: string
  readonly sizeBytes: number
  readonly report: FileReport
  readonly format: FileFormat
  readonly columns: readonly Column[]
  /** Of the company, when the report was made. */
  readonly timeZone: string
  readonly madeAtMs: number
}

/** Files of reports: made once, read as often as wanted by their company, gone after their time. */
export interface Files {
  /** Writes the file; rejects, with nothing left of it, where the table or the disk fails. */
  keep(file: NewFile): Promise<KeptFile>
  /** null: there is none of this id and report for the company, or its time is over. */
  find(which: {
    readonly companyId: string
    readonly report: FileReport
    readonly id: number
  }): Promise<OpenFile | null>
  /** Removes what is out of time; also done now and then by itself. */
  sweep(): Promise<void>
  /** Ends the sweeping. */
  stop(): void
}

export interface FilesOptions {
  /** Processes that share it serve each other's files. */
  readonly folder: string
  readonly lifetimeMs: number
  readonly store: Store
  /** UTC ms. */
  readonly clock: () => number
  readonly logger: Logger
}

/** Of what a folder's `about.json` tells. */
interface About extends Omit<OpenFile, 'path' | 'sizeBytes'> {
  readonly companyId: string
  readonly expiresAtMs: number
}

/** Fits clients that read an int of 32 bits; drawn, so that ids tell nothing and processes need not agree on them. */
const maxId = 2 ** 31 - 1
const sweepEveryMs = 10 * 60_000
/** No report takes so long: what is unfinished then was left by a process that was killed. */
const abandonedAfterMs = 3_600_000

/**
 * A kept file is a folder `<id>` with its data and what is to be known of it. It is written as `<id>.part` and gets its name when it
 * is complete, so that there is never half a file. The folder is made with its first file; what earlier runs left in it is swept.
 */
export function openFiles(options: FilesOptions): Files {
  const { folder, lifetimeMs, store, clock, logger } = options
  const sweep = async () => {
    for (const name of await namesIn(folder)) {
      if (await isOver(join(folder, name), clock())) await rm(join(folder, name), { recursive: true, force: true })
    }
  }
  const sweepNow = () => {
    sweep().catch((error: unknown) => logger.warn({ err: error }, 'files of reports were not swept'))
  }
  sweepNow()
  const timer = setInterval(sweepNow, sweepEveryMs)
  timer.unref()

  return {
    async keep({ company, report, format, table, signal }) {
      await mkdir(folder, { recursive: true })
      const { id, part, complete } = await reserve(folder)
      try {
        const path = join(part, dataName)
        const to = { path, format, ...(signal ? { signal } : {}) }
        if ('write' in table) await table.write(to)
        else await writeRows(store, { company: company.ref, id, table }, to)
        await makeSafe(path)
        const madeAtMs = clock()
        const about: About = {
          companyId: company.id,
          report,
          format,
          columns: table.columns,
          timeZone: company.settings.timeZone,
          madeAtMs,
          expiresAtMs: madeAtMs + lifetimeMs,
        }
        await writeFile(join(part, aboutName), JSON.stringify(about), { flush: true })
        await rename(part, complete)
        return { url: `/csv/${report}/${id}`, expiresAtMs: about.expiresAtMs }
      } catch (error) {
        await rm(part, { recursive: true, force: true })
        throw error
      }
    },
    async find({ companyId, report, id }) {
      const about = await readAbout(join(folder, String(id)))
      if (about === null || about.companyId !== companyId || about.report !== report) return null
      if (about.expiresAtMs <= clock()) return null
      const path = join(folder, String(id), dataName)
      const sizeBytes = await sizeOf(path)
      return sizeBytes === null ? null : { ...about, path, sizeBytes }
    },
    sweep,
    stop: () => clearInterval(timer),
  }
}

type RowsToWrite = Pick<ParquetExport, 'company' | 'id' | 'table'>

async function writeRows(store: Store, rows: RowsToWrite, { path, format, signal }: FileTarget): Promise<void> {
  if (format === 'csv') await writeCsv(path, rows.table, signal)
  else await writeParquet(store, { ...rows, path, ...(signal ? { signal } : {}) })
}

/** On the disk, whatever happens to this machine. */
async function makeSafe(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

const dataName = 'data'
const aboutName = 'about.json'
const partEnd = '.part'

/** A folder of one's own for an id that nothing has. */
async function reserve(folder: string): Promise<{ id: number; part: string; complete: string }> {
  for (;;) {
    const id = randomInt(1, maxId)
    const complete = join(folder, String(id))
    const part = `${complete}${partEnd}`
    if (!(await makeFolder(part))) continue
    // Once this id is reserved nobody else can complete it: what isn't there now won't be.
    if (!(await exists(complete))) return { id, part, complete }
    await rm(part, { recursive: true, force: true })
  }
}

/** false: it is there already. */
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

/** None where there is no folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** null: it has just been swept. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function isOver(path: string, nowMs: number): Promise<boolean> {
  const isPart = path.endsWith(partEnd)
  const about = isPart ? null : await readAbout(path)
  if (about) return about.expiresAtMs <= nowMs
  // The file system's clock, not ours: it is what the folder's time is told by.
  return isPart && Date.now() - (await modifiedAtMs(path)) > abandonedAfterMs
}

/** null: there is none. */
async function readAbout(path: string): Promise<About | null> {
  try {
    // Written by `keep`, and complete by its name.
    const about: About = JSON.parse(await readFile(join(path, aboutName), 'utf8'))
    return about
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}

async function modifiedAtMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return Infinity // finished, or gone, meanwhile
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
