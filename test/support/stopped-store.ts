import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { built } from './built.ts'

/**
 * Runs a statement on the embedded store of an ended service; returns the rows of a query, or no rows for a command.
 * Runs in a separate process: chDB opens one folder per process, and the process of the tests may already have opened one.
 */
export async function runOnStoppedStore(
  folder: string,
  kind: 'query' | 'command',
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  const script = await built('test/support/stopped-store-process.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, folder, kind, text])
  const rows: readonly Record<string, unknown>[] = JSON.parse(stdout)
  return rows
}
