import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { childEnv, startChild, type ChildService } from '../support/child-service.ts'
import { builtCommand, npmCommand } from '../support/npm-command.ts'
import { caller } from '../support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('first day', function () {
  let dataDir: string
  let env: Readonly<Record<string, string>>
  let children: ChildService[] = []
  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const child = await startChild({ ...env, ...more })
    children.push(child)
    return child
  }
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-first-'))
    env = { TAKT_DATA_DIR: dataDir, TAKT_ADMIN_KEY: '' }
  })
  afterEach(async () => {
    await Promise.all(children.map(child => child.kill()))
    children = []
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('A start on a busy port creates no key, and `npm run key` creates one with or without a running service', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a port's address
    const { port } = other.address() as AddressInfo
    const said = await start({ TAKT_PORT: String(port) }).then(
      () => 'started',
      (error: unknown) => String(error),
    )
    other.close()
    expect(said)
      .to.match(new RegExp(`Port ${port} .* is in use`))
      .and.match(/TAKT_PORT/)
    const { stderr } = await npmCommand('key', env)
    expect(stderr, 'error of the command').to.match(/No installation found in /)
    expect(readdirSync(dataDir), 'files in the data folder').to.deep.equal([])

    const child = await start()
    const { stdout: running } = await builtCommand('key', env)
    const withKey = caller(child.url, running.trim())
    expect((await withKey('GET', '/machines')).status).to.equal(200)
    const few = await builtCommand('key', env, '--scopes', 'machine.read', '--name', 'Reader')
    const reader = caller(child.url, few.stdout.trim())
    expect((await reader('POST', '/ingest/samples', [])).status).to.equal(403)
    expect((await builtCommand('key', env, '--scopes', 'everything')).code).to.equal(1)
    await child.stop()
    const { stdout: stopped } = await builtCommand('key', env)
    const again = await start()
    for (const key of [running, stopped])
      expect((await caller(again.url, key.trim())('GET', '/machines')).status).to.equal(200)
  })

  it('A replay needs no API key as argument, and deletes its temporary key', async () => {
    const child = await start({ TAKT_ADMIN_KEY: 'a-key-for-tests-of-32-characters-or-more' })
    const devices = join(dataDir, 'Devices.xml')
    const item = '<DataItem category="EVENT" id="execution" name="execution" type="EXECUTION"/>'
    writeFileSync(
      devices,
      `<MTConnectDevices><Devices><Device name="Mill"><DataItems>${item}</DataItems></Device></Devices></MTConnectDevices>`,
    )
    const log = join(dataDir, 'mill.shdr')
    writeFileSync(log, `${new Date(Date.now() - 60_000).toISOString()}|execution|ACTIVE\n`)
    const args = ['--devices', devices, '--machine', 'Mill']
    const said = await npmCommand('replay', { ...env, TAKT_URL: child.url }, ...args, log)
    expect(said.stdout, said.stderr).to.match(/samples accepted: [1-9]/)
    const { stdout } = await builtCommand('company', env, 'list')
    expect(stdout).to.match(/, 1 key$/m)
    expect((await builtCommand('dead-letters', env)).stdout).to.match(/No dead letters/)
  })

  it('The service reports its start within seconds, stops while the plant catches up, and can leave the demo', async () => {
    const demo = { TAKT_DEMO: '1', TAKT_DEMO_MACHINES: '6', TAKT_DEMO_HOURS: '200' }
    const child = await start(demo)
    const key = (await builtCommand('key', env)).stdout.trim()
    await sleep(500)
    const { code, tookMs } = await child.stop()
    expect(code).to.equal(0)
    // The limit on an idle machine is three seconds.
    expect(tookMs).to.be.below(15_000)

    const second = await start({ ...demo, TAKT_DEMO_HOURS: '2' })
    const call = caller(second.url, key)
    const own = '7b2e9c50-4d1f-4a3b-9c8e-0a1b2c3d4e5f'
    while (await lacks(call, '/machines', 6)) await sleep(200)
    expect((await call('PUT', `/machines/${own}`, { name: 'Own' })).status).to.equal(200)
    const left = await builtCommand('leave-demo', { ...env, ...demo })
    expect(left.stdout, left.stderr).to.match(/6 machines decommissioned/)
    for (const restarts of [0, 1]) {
      if (restarts > 0) await second.stop()
      const service = restarts > 0 ? await start(demo) : second
      const ask = caller(service.url, key)
      const names = async (path: string) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- lists of named records
        ((await ask('GET', path)).body as { readonly name: string }[]).map(({ name }) => name)
      expect(await names('/machines')).to.deep.equal(['Own'])
      for (const path of ['/machine-groups', '/schedules', '/operators', '/job-operations'])
        expect(await names(path), path).to.deep.equal([])
    }
    expect((await builtCommand('leave-demo', { ...env, ...demo })).code).to.equal(0)
  })

  it('Every npm command runs the file of its name', () => {
    const commands = readdirSync(join(root, 'service/commands')).map(file => basename(file, '.ts'))
    const scripts = Object.entries(packageJson.scripts).filter(([, script]) => script.includes('service/commands'))
    expect(scripts.map(([name]) => name)).to.include.members(['key', 'replay', 'company', 'dead-letters', 'leave-demo'])
    for (const [name, script] of scripts) {
      expect(script).to.equal(`node start.cjs service/commands/${name}.ts`)
      expect(commands).to.include(name)
    }
  })

  it('`npm start` immediately prints that Takt starts', async () => {
    const child = spawn('npm', ['start', '--silent'], { cwd: root, env: childEnv(env), detached: true })
    const [chunk]: Buffer[] = await once(child.stdout, 'data')
    expect(String(chunk)).to.match(/Takt .* is starting/)
    process.kill(-(child.pid ?? 0), 'SIGKILL')
  })
})

/** Returns whether the list at the path has fewer than `count` items. */
async function lacks(call: ChildService['call'], path: string, count: number): Promise<boolean> {
  const { body } = await call('GET', path)
  return !Array.isArray(body) || body.length < count
}
