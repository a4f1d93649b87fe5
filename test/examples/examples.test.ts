import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { startService, testKey, type TestService } from '../support/service.ts'

const folder = fileURLToPath(new URL('../../examples', import.meta.url))

describe('examples/', () => {
  const machineId = randomUUID()
  let service: TestService

  before(async () => {
    service = await startService()
    const machine = { name: 'Lathe 1', erpMachineId: 'WC-10' }
    assert.equal((await service.call('PUT', `/machines/${machineId}`, machine)).status, 200)
  })
  after(() => service.stop())

  const start = (example: string, ...args: readonly string[]) =>
    spawn(example.endsWith('.sh') ? 'sh' : process.execPath, [`${folder}/${example}`, ...args], {
      env: { ...process.env, TAKT_URL: service.url, TAKT_KEY: testKey, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })

  /** Runs an example to its end; returns the text that it prints. */
  async function output(example: string, ...args: readonly string[]): Promise<string> {
    const child = start(example, ...args)
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const [exitCode] = await once(child, 'close')
    assert.equal(exitCode, 0, text)
    return text
  }

  it('examples/README.md lists every example', () => {
    const listed = [...readFileSync(`${folder}/README.md`, 'utf8').matchAll(/\]\((.*?)\)/g)].map(([, file]) => file)
    const programs = readdirSync(folder).filter(file => /\.(?:mjs|sh)$/.test(file))
    assert.sameMembers(listed, programs)
  })

  it('gateway.mjs sends samples and prints the rejected one', async () => {
    const text = await output('gateway.mjs', machineId)
    assert.match(text, /^accepted: 3\nrejected: sample 3, \w+: timestamp /)
  })

  it('oee-by-shift.mjs prints a row for the machine', async () => {
    await service.settled()
    assert.match(await output('oee-by-shift.mjs'), /Lathe 1.*No Shift/)
  })

  it('dispatch-job.sh runs a job and prints its parts', async () => {
    const lines = (await output('dispatch-job.sh', 'WC-10', 'R-1')).trim().split('\n')
    assert.deepEqual(lines.slice(0, 3), ['null', 'null', 'null'])
    assert.containsAllKeys(JSON.parse(lines[3] ?? ''), ['startAt', 'endAt', 'metrics'])
  })

  it('import-jobs.sh imports the jobs of jobs.csv', async () => {
    const [preview = '', imported] = (await output('import-jobs.sh', `${folder}/jobs.csv`)).trim().split('\n')
    assert.deepInclude(JSON.parse(preview), { created: 1, changed: 1 })
    assert.equal(imported, 'null')
  })

  it('open-downtime.mjs prints the reason of an open annotation', async () => {
    const reason = { id: 1, name: 'Tool change', color: '#cc0000', planned: true }
    const { body } = await service.call('POST', '/downtime-reasons', reason)
    const annotation = {
      machineId,
      reasonId: Object(body).id,
      startAt: new Date().toISOString(),
      endAt: null,
      note: 'T12',
    }
    assert.equal((await service.call('POST', '/annotations', annotation)).status, 200)
    await service.settled()
    assert.match(await output('open-downtime.mjs'), /^Lathe 1: Tool change since .* \(T12\)\n/)
  })

  it('live-status.mjs prints the status of the machine', async () => {
    const child = start('live-status.mjs')
    const [first] = await once(child.stdout, 'data')
    child.kill()
    await once(child, 'close')
    assert.match(String(first), /Lathe 1 {2}ACTIVE/)
  })
})
