import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { built } from './built.ts'
import { childEnv } from './child-service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Said {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** Runs a command of package.json to its end, as `npm run` does; returns its output. */
export async function npmCommand(
  name: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Said> {
  return run('npm', ['run', '--silent', name, '--', ...args], env)
}

/** Runs a command as `npmCommand` does, but built and without npm: for commands that a test runs repeatedly. */
export async function builtCommand(
  name: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Said> {
  return run(process.execPath, [await built(`service/commands/${name}.ts`), ...args], env)
}

async function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Said> {
  try {
    const { stdout, stderr } = await promisify(execFile)(file, args, { cwd: root, env: childEnv(env) })
    return { stdout, stderr, code: 0 }
  } catch (error) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what execFile rejects with
    return error as Said
  }
}
