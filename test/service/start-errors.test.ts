import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { built } from '../support/built.ts'
import { childEnv, nodeFlags, startChild, startVariables } from '../support/child-service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('service that cannot start', function () {
  let folder: string
  /** A data folder that a service has used. */
  let used: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-start-'))
    used = join(folder, 'used')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('A data folder in use is reported with the process that uses it', async () => {
    const service = await startChild({ TAKT_DATA_DIR: used })
    const said = await failure({ TAKT_DATA_DIR: used })
    expect(said).to.include(`The data folder ${used} is in use by process ${service.pid}.`).and.include('TAKT_DATA_DIR')
    await service.stop()
  })

  it('A data folder that is a file is reported', async () => {
    const path = join(folder, 'file')
    writeFileSync(path, '')
    expect(await failure({ TAKT_DATA_DIR: path })).to.match(
      /file.* is a file, not a folder.*\nWhat to do: .*TAKT_DATA_DIR/,
    )
  })

  it('A data folder that cannot be written is reported', async () => {
    // No user, not even root, can write to this path.
    const said = await failure({ TAKT_DATA_DIR: '/sys/takt' })
    expect(said).to.match(/^\/sys\/takt.* (?:can't be written|is on a file system that is read-only).*\nWhat to do: /m)
  })

  it('An unreadable file of a secret is reported', async () => {
    const path = join(folder, 'none')
    const said = await failure({
      KAFKA_BROKERS: '127.0.0.1:9',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'takt',
      KAFKA_SASL_PASSWORD_FILE: path,
    })
    expect(said).to.include(`The file ${path} of KAFKA_SASL_PASSWORD_FILE can't be read (ENOENT)`)
    expect(said).to.include('What to do: ')
  })

  it('A damaged log is reported with the steps to take', async () => {
    writeFileSync(join(used, 'log', 'CURRENT'), 'no manifest\n')
    const said = await failure({ TAKT_DATA_DIR: used })
    expect(said).to.include(`The log in ${join(used, 'log')} is damaged: `)
    expect(said).to.include('Nothing was changed').and.include('npm run adopt-log')
  })

  it('A server that is unavailable is reported, and the start waits for it', async () => {
    const said = await failure(
      { CLICKHOUSE_URL: 'http://127.0.0.1:9', KAFKA_BROKERS: '127.0.0.1:9' },
      text => text.includes('KAFKA_BROKERS') || text.includes('CLICKHOUSE_URL'),
    )
    expect(said).to.match(
      /^(?:Kafka at 127\.0\.0\.1:9 \(KAFKA_BROKERS\)|ClickHouse at http:\/\/127\.0\.0\.1:9 \(CLICKHOUSE_URL\)) (?:is not usable yet: .+|does not respond yet)\. Waiting for it\.$/m,
    )
  })

  it('A Node.js version that is too old is reported', async () => {
    const old = join(folder, 'old.cjs')
    writeFileSync(old, `Object.defineProperty(process.versions, 'node', { value: '18.20.0' })`)
    const said = await ended(spawn(process.execPath, ['-r', old, 'start.cjs', 'main.ts'], { cwd: root }))
    expect(said).to.match(/^Takt needs Node 20\.19 or newer; this is 18\.20\.0 \(.*\)\.\nWhat to do: /)
  })
})

describe('npm start', function () {
  it('npm start passes the flags of the image to Node.js', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
    const command: unknown = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? 'null')
    expect(nodeFlags).to.not.deep.equal([])
    for (const flag of nodeFlags) expect(flag).to.match(/^--/)
    expect(command).to.deep.equal(['node', ...nodeFlags, 'start.cjs', 'main.ts'])
  })

  it('npm start sets the variables of the image', () => {
    const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n')
    expect(startVariables).to.not.deep.equal({})
    for (const [name, value] of Object.entries(startVariables)) expect(lines).to.include(`ENV ${name}=${value}`)
  })

  it('npm start reports immediately that it starts, ignores its standard input, and can be stopped while it starts', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'takt-start-'))
    mkdirSync(join(dataDir, 'data'))
    const child = spawn(process.execPath, ['start.cjs', 'main.ts'], {
      cwd: root,
      env: childEnv({ TAKT_DATA_DIR: join(dataDir, 'data'), TAKT_DEMO: '1' }),
    })
    child.stdin.end('text\n')
    const exited = new Promise(resolve => child.once('exit', resolve))
    const startedMs = performance.now()
    await saying(child, /is starting/)
    // The limit is a second, and a further second for each process that may be busy.
    expect(performance.now() - startedMs).to.be.below(10_000)
    await saying(child, /A simulated plant of/)
    const toldMs = performance.now()
    child.kill('SIGTERM')
    await exited
    expect(performance.now() - toldMs).to.be.below(30_000)
    rmSync(dataDir, { recursive: true, force: true })
  })
})

/** Starts a service that fails; resolves to its output when it ends, or when the output suffices. */
async function failure(
  env: Readonly<Record<string, string>>,
  isEnough: (said: string) => boolean = () => false,
): Promise<string> {
  const child = spawn(process.execPath, [await built('main.ts')], { cwd: root, env: childEnv(env) })
  return ended(child, isEnough)
}

function ended(child: ChildProcess, isEnough: (said: string) => boolean = () => false): Promise<string> {
  let said = ''
  const add = (chunk: Buffer) => {
    said += chunk.toString()
    if (isEnough(said)) child.kill('SIGKILL')
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  return new Promise(resolve => child.once('close', () => resolve(said)))
}

function saying(child: ChildProcess, text: RegExp): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (text.test(said)) resolve()
    })
    child.once('exit', () => reject(new Error(`The process ended: ${said}`)))
  })
}
