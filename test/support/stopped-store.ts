import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { built } from './built.ts'

/**
 * Runs a statement on the embedded store of a service that has ended; returns the rows of a query, none of a command.
 * Works in a process of its own: chDB opens one folder per process, and the tests' process may have one open already.
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
