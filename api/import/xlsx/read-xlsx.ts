import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ApiError, unavailable } from '../../../schema/errors.ts'
import { zipStart } from '../csv/guard.ts'
import { type FileRow, mostColumns, mostRowChars, mostRows, otherKind, tooLarge, unreadable } from '../rows.ts'

/** Of the process that reads a workbook. */
const mostHeapMb = 1536
const withinMs = 60_000

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const script = fileURLToPath(new URL('print-rows.ts', import.meta.url))

/**
 * The rows of a sheet of an XLSX file (its first one, unless named), its heading first. Reading it is left to a process of its own
 * with bounded memory and time. Throws an `ApiError` where it is none, or that process can't be started.
 */
export async function* readXlsx(path: string, sheet = ''): AsyncGenerator<FileRow, void> {
  if (!(await isZip(path))) throw otherKind('The file is no XLSX file')
  const child = startReader([path, sheet, String(mostRows + 2), String(mostColumns), String(mostRowChars)])
  const ended = exitCodeOf(child)
  void ended.catch(() => undefined) // may fail before it is awaited
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
  try {
    let row = 0
    // Without a standard output where it could not be started.
    const input = child.stdout ?? Readable.from([])
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const cells = cellsOf(line)
      if (++row > mostRows + 1) throw tooLarge(`The file has more than ${mostRows} rows`)
      yield { row, cells }
    }
    if ((await ended) !== 0) throw tookTooMuch()
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

/** Nothing of the service's environment is its business. Dates of workbooks have no zone: they are read as UTC. */
function startReader(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [`--max-old-space-size=${mostHeapMb}`, '--import', tsx, script, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { TZ: 'UTC' },
  })
}

/** null where a signal ended it. Rejects with an `ApiError` where it could not be started. */
async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  try {
    const [code]: (number | null)[] = await once(child, 'exit')
    return code ?? null
  } catch (cause) {
    throw unavailable('The workbook can not be read now', 5, cause)
  }
}

function cellsOf(line: string): readonly string[] {
  const printed = parse(line)
  if (!('refused' in printed)) return printed
  const { status, message } = printed.refused
  throw status === 413 ? tooLarge(message) : unreadable(message)
}

type Printed = readonly string[] | { readonly refused: { readonly status: number; readonly message: string } }

/** A line without its end is the last one of a process that died. */
function parse(line: string): Printed {
  try {
    const printed: Printed = JSON.parse(line)
    return printed
  } catch {
    throw tookTooMuch()
  }
}

function tookTooMuch(): ApiError {
  return tooLarge('The workbook takes more memory or time to read than allowed')
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.equals(zipStart)
  } finally {
    await file.close()
  }
}
