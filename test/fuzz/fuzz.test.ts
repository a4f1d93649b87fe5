import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { openApiDocument } from '../../api/create-api.ts'
import { Random } from '../../demo/simulate/random.ts'
import { startChild, type ChildService } from '../support/child-service.ts'
import { heldMs, holdMeterEnv } from '../support/hold-meter.ts'
import { again } from './again.ts'
import { type Attack, attack } from './attack.ts'
import { type Callers, makeCallers } from './callers.ts'
import { type Canary, makeCanary } from './canary.ts'
import { mutateText, mutateValue } from './mutate.ts'
import { requestMaker } from './requests.ts'

/** `npm run test:fuzz` sends 100,000. */
const requests = Number(process.env['TAKT_FUZZ_REQUESTS'] ?? 500)
const seed = Number(process.env['TAKT_FUZZ_SEED'] ?? Date.now() % 1_000_000)
const heapLimitMb = 512
const maxGrowthMb = 100
/** Far above the time that one request may block the event loop: the machine may be busy with other tests. */
const longestWaitMs = 5_000
/** CPU time of the main thread in one iteration of the event loop, without garbage collection: several requests can share an iteration. */
const longestHoldMs = 250

describe(`a service with random input (TAKT_FUZZ_SEED=${seed})`, function () {
  this.timeout(600_000 + requests * 200)
  const dataDir = mkdtempSync(join(tmpdir(), 'takt-fuzz-'))
  const holds = join(dataDir, 'holds')
  const meter = holdMeterEnv(holds)
  const env = {
    ...meter,
    TAKT_DATA_DIR: dataDir,
    NODE_OPTIONS: `${meter['NODE_OPTIONS']} --max-old-space-size=${heapLimitMb}`,
  }
  const random = new Random(seed)
  let service: ChildService
  let callers: Callers
  let canary: Canary
  let past: string
  let pulse: Pulse
  let startUs: number

  before(async () => {
    service = await startChild(env)
    callers = await makeCallers(service.url, env)
    canary = await makeCanary(service.url, env)
    await service.settled()
    past = await canary.pastReport()
  })
  after(async () => {
    await service?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  beforeEach(() => {
    startUs = nowUs()
    pulse = startPulse(service.url)
  })
  afterEach(async function () {
    const worstMs = await pulse.stop()
    const holdMs = heldMs(holds, startUs, nowUs())
    process.stdout.write(
      `      worst wait of /health beside it: ${worstMs.toFixed(0)} ms; longest hold ${holdMs.toFixed(0)} ms\n`,
    )
    expect(holdMs, 'the longest hold of the event loop').to.be.below(longestHoldMs)
    expect(worstMs, 'the worst wait of another caller').to.be.below(longestWaitMs)
    expect(await canary.pastReport(), 'a report of a company that nobody attacks').to.equal(past)
  })

  it(`${requests} random requests of every kind cause no server error`, async () => {
    const ids = await makePlant(service)
    const heaps: number[] = []
    const outside: number[] = []
    let toldFaults = 0
    const found = await attack({
      url: service.url,
      requests,
      width: 6,
      random,
      callers,
      next: requestMaker(openApiDocument(), random, ids),
      onHundred: async (done, found) => {
        await canary.makePart()
        const memory = await memoryMb(service.url)
        heaps.push(memory.heap)
        outside.push(memory.outside)
        if (done % 5_000 !== 0 && found.faults.length === toldFaults) return
        toldFaults = found.faults.length
        process.stdout.write(`      ${done} requests ${answersOf(found)}\n`)
      },
    })
    process.stdout.write(`      ${answersOf(found)}\n`)
    process.stdout.write(
      `      growth: heap ${growthMb(heaps).toFixed(1)} MB, outside ${growthMb(outside).toFixed(1)} MB\n`,
    )
    const { statuses, faults } = found
    expect(faults).to.deep.equal([])
    expect(statuses.get(200), 'requests that reach something').to.be.above(requests / 20)
    await reportedAll(canary)
    expect(growthMb(heaps), 'growth of the heap, MB').to.be.below(maxGrowthMb)
    expect(growthMb(outside), 'growth of what is outside of the heap, MB').to.be.below(maxGrowthMb)
  })

  it('Random frames on the live channels affect no other company', async () => {
    for (const channel of ['status', 'diagnostics', 'timeline']) {
      for (let connection = 0; connection < 20; connection++) {
        const socket = new WebSocket(`${service.url.replace('http', 'ws')}/events/machine/${channel}`)
        socket.on('error', () => undefined)
        await new Promise(resolve => socket.once('open', resolve).once('close', resolve))
        for (let frame = 0; frame < 20; frame++)
          if (socket.readyState === WebSocket.OPEN) socket.send(liveFrame(random))
        await sleep(20)
        socket.terminate()
      }
    }
    await canary.makePart()
    await reportedAll(canary)
  })

  it('Random job files affect no other company', async () => {
    const admin = callers[3] ?? {}
    for (const [type, name] of [
      ['mm', 'mm.csv'],
      ['vendorVisual', 'vendorVisual.csv'],
      ['vendorLN', 'vendorLN.xlsx'],
    ] as const) {
      const sample = readFileSync(new URL(`../../api/import/samples/${name}`, import.meta.url))
      for (let file = 0; file < 15; file++) {
        const form = new FormData()
        form.set('csvFile', new Blob([new Uint8Array(brokenFile(sample, random))]), name)
        if (random.chance(0.3)) form.set('autoArchive', random.pick(['true', 'false', 'x']))
        const query = `?type=${random.pick([type, type, 'mm'])}`
        const response = await fetch(`${service.url}/jobs/import${query}`, {
          method: 'POST',
          headers: admin,
          body: form,
        })
        const answer = await response.text()
        expect(response.status, answer.slice(0, 500)).to.be.oneOf([200, 400, 409, 413, 415])
        expect(answer.length).to.be.below(262_144)
      }
    }
    await canary.makePart()
    await reportedAll(canary)
  })
})

/** The number of responses by status, and the forbidden responses, as one text. */
function answersOf({ statuses, faults }: Attack): string {
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
  return [counts.join(', '), ...faults].join('\n')
}

function liveFrame(random: Random): Buffer | string {
  const frame = random.pick<unknown>([
    { event: 'join', data: { token: 'nobody' } },
    { event: 'set_machines', data: [crypto.randomUUID()] },
    {
      event: 'get_metrics',
      data: {
        machineId: crypto.randomUUID(),
        requestId: 1,
        startAt: '2026-03-02',
        endAt: '2026-03-03',
        metrics: [{ key: 'a', tag: 't' }],
      },
    },
    { event: 'leave' },
  ])
  const mutated = JSON.stringify(mutateValue(frame, random)) ?? ''
  return random.chance(0.3) ? mutateText(mutated, random) : mutated
}

function brokenFile(sample: Buffer, random: Random): Buffer {
  if (random.chance(0.2)) return Buffer.concat(Array.from({ length: 50 }, () => sample))
  if (random.chance(0.3)) return sample.subarray(0, random.integer(0, sample.length))
  const broken = Buffer.from(sample)
  for (let times = random.pick([1, 3, 30]); times > 0; times--)
    broken[random.integer(0, broken.length)] = random.pick([0x00, 0x22, 0x2c, 0x3b, 0x0a, 0x3d, 0xff, 0x39])
  return broken
}

interface Pulse {
  /** Stops the watch; resolves to the longest response time of `/health`. */
  stop(): Promise<number>
}

/** Requests `/health/live` repeatedly. */
function startPulse(url: string): Pulse {
  const over = new AbortController()
  let worstMs = 0
  const beating = (async () => {
    while (!over.signal.aborted) {
      const startMs = performance.now()
      await (await again(() => fetch(`${url}/health/live`))).text()
      worstMs = Math.max(worstMs, performance.now() - startMs)
      await sleep(100)
    }
  })()
  return {
    async stop() {
      over.abort()
      await beating
      return worstMs
    },
  }
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Creates machines and their records by the API; returns their ids. */
async function makePlant({ call }: ChildService): Promise<readonly string[]> {
  const ids = Array.from({ length: 6 }, () => crypto.randomUUID())
  const [first = '', second = '', group = '', schedule = '', operator = '', job = ''] = ids
  const told = [
    await call('PUT', `/machines/${first}`, { name: 'Lathe', erpMachineId: 'L1' }),
    await call('PUT', `/machines/${second}`, { name: 'Mill', machineGroupIds: [] }),
    await call('PUT', `/machine-groups/${group}`, { name: 'Cell', machineIds: [first, second] }),
    await call('PUT', `/schedules/${schedule}`, { name: 'Days', versions: [], exceptions: [] }),
    await call('PUT', `/operators/${operator}`, { name: 'Ada' }),
    await call('PUT', `/job-operations/${job}`, { jobName: 'J', operationName: 'O' }),
    await call('POST', '/downtime-reasons', { name: 'Tool', color: '#aa0000' }),
  ]
  for (const { status, body } of told) expect(status, JSON.stringify(body)).to.equal(200)
  return [...ids, 'L1', '1']
}

async function reportedAll(canary: Canary): Promise<void> {
  const untilMs = Date.now() + 120_000
  while ((await canary.reported()) !== canary.parts() && Date.now() < untilMs) await sleep(200)
  expect(await canary.reported(), 'parts of a company that nobody attacks').to.equal(canary.parts())
}

/** Memory in use, in MB: of the heap, and of buffers outside the heap. */
async function memoryMb(url: string): Promise<{ readonly heap: number; readonly outside: number }> {
  const text = await (await again(() => fetch(`${url}/metrics`))).text()
  return {
    heap: Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1] ?? Number.NaN) / 1e6,
    outside: Number(/^nodejs_external_memory_bytes (\S+)$/m.exec(text)?.[1] ?? Number.NaN) / 1e6,
  }
}

/** Increase of the low points from the second quarter to the last; caches fill in the first. */
function growthMb(memory: readonly number[]): number {
  const quarter = Math.ceil(memory.length / 4)
  return Math.min(...memory.slice(-quarter)) - Math.min(...memory.slice(quarter, 2 * quarter))
}
