import { expect } from 'chai'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built } from '../support/built.ts'
import { childEnv } from '../support/child-service.ts'
import { builtCommand } from '../support/npm-command.ts'
import { noteSkipped } from '../support/skipped.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('first start', function () {
  let dataDir: string
  let env: Readonly<Record<string, string>>
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-first-'))
    env = { TAKT_DATA_DIR: dataDir, TAKT_ADMIN_KEY: '' }
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
  const refuses = async (TAKT_DATA_DIR: string, commands: readonly (readonly string[])[]): Promise<void> => {
    for (const [name = '', ...args] of commands) {
      const { code, stderr } = await builtCommand(name, { ...env, TAKT_DATA_DIR }, ...args)
      expect(stderr, name).to.include(`No installation found in ${TAKT_DATA_DIR} (TAKT_DATA_DIR).`)
      expect(code, name).to.equal(1)
    }
  }

  it('A start into a pipe generates no key, and prints the commands that create a key and a user', async () => {
    const said = await startedInto(env)
    expect(said).to.not.match(/#key=|#token=|takt_/)
    expect(said).to.include('npm run --silent key').and.include('npm run company -- add-user')
    expect((await builtCommand('company', env, 'list')).stdout).to.match(/, 0 keys$/m)
    expect((await builtCommand('key', env)).stdout).to.match(/^takt_\S+\n$/)
  })

  it('A start in a terminal prints a generated key, and never a supplied one', async function () {
    if (spawnSync('script', ['--version']).status !== 0) {
      noteSkipped('the test of the start in a terminal', 'install util-linux (script)')
      this.skip()
    }
    const generated = await startedInto(env, 'terminal')
    const key = /#key=(takt_\S+)/.exec(generated)?.[1] ?? ''
    expect(generated)
      .to.match(/#token=\S+/)
      .and.include(`Key    ${key}`)
    const supplied = 'a supplied key of 32 characters or more'
    const again = await startedInto({ ...env, TAKT_ADMIN_KEY: supplied }, 'terminal')
    expect(again).to.include('the value of TAKT_ADMIN_KEY').and.not.include(supplied)
    expect(again).to.not.include(encodeURIComponent(supplied)).and.not.match(/takt_/)
  })

  it('A command with a mistyped data folder changes nothing', async () => {
    const missing = join(dataDir, 'missing')
    const other = join(dataDir, 'other')
    mkdirSync(join(other, 'log'), { recursive: true, mode: 0o755 })
    const commands = [
      'company list',
      'dead-letters',
      'leave-demo',
      'rebuild',
      'rotate-token-secret',
      'adopt-log',
      'key',
    ]
    const create = ['company', 'create', 'North', '--admin', 'a@b.example']
    await refuses(missing, [...commands.map(command => command.split(' ')), create])
    await refuses(other, [['key'], ['adopt-log'], create])
    expect(existsSync(missing)).to.equal(false)
    expect(readdirSync(other, { recursive: true })).to.deep.equal(['log'])
    expect(statSync(other).mode & 0o777).to.equal(0o755)
  })

  it('An unknown setting is reported with the closest known name', async () => {
    const { stderr, code } = await builtCommand('key', { ...env, TAKT_PARTITION: '8', KAFKA_BROKER: 'kafka:9092' })
    expect(stderr).to.include('TAKT_PARTITION: unknown setting. The closest known name is TAKT_PARTITIONS')
    expect(code).to.equal(1)
    const warned = await builtCommand('key', { ...env, KAFKA_BROKER: 'kafka:9092', TAKT_LOG_LEVEL: 'warn' })
    expect(warned.stderr).to.match(/"level":40.*"variable":"KAFKA_BROKER","setting":"KAFKA_BROKERS"/)
  })
})

/** Starts the service, stops it when it has printed its text, and resolves to its output. */
async function startedInto(env: Readonly<Record<string, string>>, kind: 'pipe' | 'terminal' = 'pipe'): Promise<string> {
  const main = await built('main.ts')
  const [command, args] =
    kind === 'pipe'
      ? [process.execPath, [main]]
      : ['script', ['--quiet', '--return', '--command', `exec ${process.execPath} ${main}`, '/dev/null']]
  const child = spawn(command, args, { cwd: root, env: childEnv(env), stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const add = (chunk: Buffer) => {
    said += chunk.toString()
    if (said.includes('simulated plant')) child.kill('SIGTERM')
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  return new Promise(resolve => child.once('close', () => resolve(said.replaceAll('\r\n', '\n'))))
}
