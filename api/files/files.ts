import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Store } from '../../clickhouse/client/store.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { FileFormat } from '../../schema/requests/report.ts'
import { every } from '../../shared/async/every.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { nameOf } from './file-name.ts'
import {
  type About,
  aboutName,
  dataName,
  diskUsage,
  isOver,
  listNames,
  type OpenFile,
  readAbout,
  reserve,
  readSize,
} from './folder.ts'
import { type ParquetExport, writeParquet } from './parquet.ts'
import { DiskQuota, type StoredFile, FileSizeMonitor } from './disk-quota.ts'
import type { FileRange, FileReport, FileTarget, StoredTable, FileTable } from './table.ts'
import { writeTextRows } from './text-rows.ts'

/** A report to be exported as a file. */
export interface NewFile {
  readonly company: CompanyRecord
  readonly report: FileReport
  readonly format: FileFormat
  readonly range: FileRange
  readonly table: FileTable | StoredTable
  readonly signal?: AbortSignal | undefined
}

/** An exported file in a response. */
export interface ExportedFile {
  /** Path of its URL, such as `/csv/production/123`; the route adds the host. */
  readonly url: string
  readonly expires: string
}

/** Files of reports: written once, readable by their company any number of times until they expire. */
export interface Files {
  /** Writes the file; rejects without leaving a part of it, with 503 if the company has no space. */
  create(file: NewFile): Promise<ExportedFile>
  /** Finds a file; null: the company has none with this id and report, or it has expired. */
  find(which: {
    readonly companyId: string
    readonly report: FileReport
    readonly id: number
  }): Promise<OpenFile | null>
  /** Deletes expired files; a timer does this every few minutes, too. */
  sweep(): Promise<void>
  stop(): void
}

export interface FilesOptions {
  /** Processes that share it serve each other's files. */
  readonly folder: string
  readonly lifetimeMs: number
  /** Maximum disk space of all files: without space, `create` rejects, also while it writes. Default: no limit. */
  readonly maxBytes?: number
  /** Maximum number of files of a company; `create` rejects more. Default: no limit. */
  readonly maxFiles?: number
  /** Whether there are several companies, which then have a share each. */
  readonly isShared?: () => boolean
  readonly store: Store
  readonly clock: () => number
  readonly logger: Logger
}

const sweepEveryMs = 10 * 60_000

/**
 * An exported file is a folder `<id>` with its data and a description. It is written as `<id>.part` and renamed when it
 * is complete, so that no incomplete file is visible. The folder of all files is created with the first one; expired
 * and unfinished files of earlier runs are deleted.
 */
export function openFiles(options: FilesOptions): Files {
  const { folder, lifetimeMs, maxBytes = Infinity, maxFiles = Infinity, store, clock, logger } = options
  const quota = new DiskQuota({ maxBytes, maxFiles, isShared: options.isShared ?? (() => false) })
  /** Folders of files that this process is writing. */
  const growing = new Set<string>()
  const sweep = async () => {
    const counted: StoredFile[] = []
    quota.startCount()
    for (const name of await listNames(folder)) {
      const path = join(folder, name)
      if (await isOver(path, clock())) await rm(path, { recursive: true, force: true })
      else if (!growing.has(path)) {
        const company = (await readAbout(path))?.companyId ?? ''
        counted.push({ company, bytes: await diskUsage(path) })
      }
    }
    quota.counted(counted)
  }
  const sweepNow = () => {
    sweep().catch((error: unknown) => logger.warn({ err: error }, 'Failed to delete expired files'))
  }
  sweepNow()
  const stop = every(sweepEveryMs, sweepNow)

  return {
    async create({ company, report, format, range, table, signal }) {
      const file = quota.begin(company.id)
      const { id, part, complete } = await reserveIn(folder).catch((error: unknown) => {
        file.end(0)
        throw error
      })
      const path = join(part, dataName)
      const monitor = new FileSizeMonitor({ quota, company: company.id, file, path: part, signal })
      growing.add(part)
      try {
        const to = { path, format, signal: monitor.signal }
        if ('write' in table) await table.write(to)
        else await writeRows(store, { companyRef: company.ref, id, table }, to)
        monitor.throwIfEnded()
        await makeSafe(path)
        const about: About = {
          companyId: company.id,
          report,
          format,
          name: nameOf(report, range, company.settings.timeZone),
          columns: table.columns,
          timeZone: company.settings.timeZone,
          expiresAtMs: clock() + lifetimeMs,
        }
        await writeFile(join(part, aboutName), JSON.stringify(about), { flush: true })
        await rename(part, complete)
        monitor.end(await diskUsage(complete))
        return { url: `/csv/${report}/${id}`, expires: isoText(about.expiresAtMs) }
      } catch (error) {
        monitor.end(0)
        await rm(part, { recursive: true, force: true })
        throw monitor.signal.aborted ? monitor.signal.reason : error
      } finally {
        growing.delete(part)
      }
    },
    async find({ companyId, report, id }) {
      const about = await readAbout(join(folder, String(id)))
      if (about === null || about.companyId !== companyId || about.report !== report) return null
      if (about.expiresAtMs <= clock()) return null
      const path = join(folder, String(id), dataName)
      const sizeBytes = await readSize(path)
      return sizeBytes === null ? null : { ...about, path, sizeBytes }
    },
    sweep,
    stop,
  }
}

async function reserveIn(folder: string) {
  await mkdir(folder, { recursive: true })
  return reserve(folder)
}

type RowsToWrite = Pick<ParquetExport, 'companyRef' | 'id' | 'table'>

async function writeRows(store: Store, rows: RowsToWrite, { path, format, signal }: FileTarget): Promise<void> {
  if (format === 'parquet') await writeParquet(store, { ...rows, path, ...(signal ? { signal } : {}) })
  else await writeTextRows(path, rows.table, { format, signal })
}

/** Flushes the file to disk, so that it survives a crash of the machine. */
async function makeSafe(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}
