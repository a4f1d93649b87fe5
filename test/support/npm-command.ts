import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childEnv } from './child-service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Said {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** Runs a command of package.json to its end, as `npm run` does; answers what it says. */
export async function npmCommand(
  name: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Said> {
  const command = ['run', '--silent', name, '--', ...args]
  try {
    const { stdout, stderr } = await promisify(execFile)('npm', command, { cwd: root, env: childEnv(env) })
    return { stdout, stderr, code: 0 }
  } catch (error) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what execFile rejects with
    return error as Said
  }
}
