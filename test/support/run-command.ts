import { spawnSync } from 'node:child_process'

/** Runs a command; throws its error output if it fails. */
export function runCommand(command: string, args: readonly string[]): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 300_000 })
  if (error !== undefined) throw new Error(`${command} can't be run: ${error.message}`)
  if (status !== 0) throw new Error(`${command} failed: ${stderr}${stdout}`)
}
