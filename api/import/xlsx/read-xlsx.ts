import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ApiError, unavailable } from '../../../schema/errors.ts'
import { zipStart } from '../csv/look-ahead.ts'
import {
  type FileCell,
  type FileRow,
  maxColumns,
  maxRowChars,
  maxRows,
  otherKind,
  payloadTooLarge,
  unreadable,
} from '../rows/file-row.ts'

/** Limits of the process that reads a workbook: heap and time. */
const maxHeapMb = 1536
const withinMs = 60_000

const start = fileURLToPath(new URL('../../../start.cjs', import.meta.url))
const script = 'api/import/xlsx/print-rows.ts'

/**
 * Reads the rows of a sheet of an XLSX file (by default the first visible one), its heading first, in a separate
 * process with limited memory and time. Throws an `ApiError` if the file is not a workbook or the process cannot be
 * started.
 */
export async function* readXlsx(path: string, sheet = ''): AsyncGenerator<FileRow, void> {
  if (!(await isZip(path))) throw otherKind('The file is not an XLSX file')
  const child = startReader([path, sheet, String(maxRows + 2), String(maxColumns), String(maxRowChars)])
  const ended = waitForExit(child)
  void ended.catch(() => undefined) // It may reject before it is awaited.
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
  try {
    let row = 0
    // A process that could not be started has no standard output.
    const input = child.stdout ?? Readable.from([])
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const cells = cellsOf(line)
      if (++row > maxRows + 1) throw payloadTooLarge(`The file has more than ${maxRows} rows`)
      yield { row, cells }
    }
    if ((await ended) !== 0) throw tookTooMuch()
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

/** Starts the process without the environment of the service, in UTC because dates of workbooks have no zone. */
function startReader(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [`--max-old-space-size=${maxHeapMb}`, start, script, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { TZ: 'UTC' },
  })
}

/** The exit code; null after a signal. Rejects with an `ApiError` if the process could not be started. */
async function waitForExit(child: ChildProcess): Promise<number | null> {
  try {
    const [code]: (number | null)[] = await once(child, 'exit')
    return code ?? null
  } catch (cause) {
    throw unavailable('Cannot read workbooks. Retry later.', 5, cause)
  }
}

function cellsOf(line: string): readonly FileCell[] {
  const printed = parse(line)
  if (!('refused' in printed)) return printed
  const { status, message } = printed.refused
  throw status === 413 ? payloadTooLarge(message) : unreadable(message)
}

type Printed = readonly FileCell[] | { readonly refused: { readonly status: number; readonly message: string } }

/** Parses a printed line. A line without its end is the last one of a process that died: throws an `ApiError`. */
function parse(line: string): Printed {
  try {
    const printed: Printed = JSON.parse(line)
    return printed
  } catch {
    throw tookTooMuch()
  }
}

function tookTooMuch(): ApiError {
  return payloadTooLarge('The workbook takes more memory or time to read than allowed')
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
