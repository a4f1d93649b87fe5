import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { built } from './built.ts'
import { childEnv } from './child-service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs `npm run company -- …` as npm does; returns its output, or rejects with its error output. */
export async function companyCommand(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string> {
  const command = [await built('service/commands/company.ts'), ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: childEnv(env) })
  return stdout
}

/** Text after a label of the output, such as `Password`. */
export function printed(output: string, label: string): string {
  return new RegExp(`^${label} +(\\S+)$`, 'm').exec(output)?.[1] ?? ''
}
