import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type ChildService } from '../support/child-service.ts'
import { outageProxy, type Outage, type OutageProxy } from '../support/outage-proxy.ts'
import { testKey } from '../support/service.ts'
import { sharedClickhouse } from '../support/shared-clickhouse.ts'
import type { WireSample } from '../../schema/topics.ts'
import { startPosting } from './posting.ts'
import { compareAll, putRecords, recentPlant } from './recent-plant.ts'

describe('ClickHouse outage', function () {
  let dataDir: string
  let proxy: OutageProxy
  let child: ChildService

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-outage-'))
    const clickhouse = await sharedClickhouse()
    proxy = await outageProxy(clickhouse)
    const env = { ...clickhouse.env(), CLICKHOUSE_URL: `http://127.0.0.1:${proxy.port}` }
    child = await startChild({ ...env, TAKT_DATA_DIR: dataDir })
  })

  afterEach(async () => {
    await child.kill()
    proxy.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  for (const outage of ['refuse', 'busy', 'silent'] satisfies Outage[]) {
    it(`During an outage of ClickHouse (${outage}), samples are accepted and other requests fail with 503; afterwards all data is complete`, async () => {
      const recent = recentPlant({ seed: 21, machines: 3, hours: 3 })
      const { samples } = recent.plant
      const half = Math.floor(samples.length / 2)
      const posting = { size: 40, senders: 4, call: () => child.call }
      await putRecords(child.call, recent)
      await startPosting({ ...posting, samples: samples.slice(0, half) }).done

      proxy.cut(outage)
      const during = startPosting({ ...posting, samples: samples.slice(half) })
      await during.done
      expect([...during.failures.keys()]).to.be.empty
      const machine = `/machines/${randomUUID()}`
      const [put] = await Promise.all([
        ask(child, 'PUT', machine, { name: 'Newcomer' }),
        outage === 'silent' ? null : expectUnavailable(ask(child, 'POST', '/reports/production', recent.requests[0])),
        expectHealth(child, 'degraded'),
      ])
      await expectUnavailable(Promise.resolve(put))

      await proxy.mend()
      await child.settled()
      await compareAll(child.call, recent)
      expect((await ask(child, 'GET', machine)).status).to.equal(200)
      const { body } = await child.call('GET', '/machines')
      expect(JSON.stringify(body).split('Newcomer')).to.have.length(2)
      // A store that is catching up may respond too late to some queries.
      while (!JSON.stringify((await ask(child, 'GET', '/health')).body).includes('"status":"ok"')) await sleep(20)
    })
  }

  it('During an outage, the service stops within seconds and continues when store and service are back', async () => {
    const recent = recentPlant({ seed: 22, machines: 2, hours: 4 })
    await putRecords(child.call, recent)
    proxy.cut('silent')
    await startPosting({ samples: recent.plant.samples, size: 40, senders: 4, call: () => child.call }).done
    const { tookMs } = await child.stop()
    expect(tookMs).to.be.below(15_000)
  })
})

describe('full disk', function () {
  let dataDir: string
  let child: ChildService | null = null

  before(function () {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-disk-'))
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=700m', 'takt-test', dataDir]).status === 0) return
    rmSync(dataDir, { recursive: true, force: true })
    process.stderr.write('A disk that can be filled takes the right to mount one, skipping\n')
    this.skip()
  })

  after(async () => {
    await child?.kill()
    spawnSync('umount', ['-l', dataDir])
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('On a full disk, samples are rejected with 503, and accepted samples appear once space is free', async () => {
    const recent = recentPlant({ seed: 23, machines: 3, hours: 4 })
    const { samples } = recent.plant
    const half = Math.floor(samples.length / 2)
    const started = await startChild({ TAKT_DATA_DIR: dataDir })
    child = started
    const posting = { size: 40, senders: 4, call: () => started.call }
    await putRecords(started.call, recent)
    await startPosting({ ...posting, samples: samples.slice(0, half) }).done

    const filler = join(dataDir, 'filler')
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'])
    const during = startPosting({ ...posting, samples: samples.slice(half) })
    await expectUnavailable(firstRefusal(started, samples.slice(-40)))
    expect((await ask(started, 'GET', '/health')).tookMs).to.be.below(maxHealthMs)
    await untilDiskFull(started, true)
    rmSync(filler)
    await during.done
    expect([...during.failures.keys()].filter(status => status !== 503)).to.be.empty
    await started.settled()
    await compareAll(started.call, recent)
    await untilDiskFull(started, false)
  })
})

/** Waits until `GET /health` lists the problem `disk_full`, or no longer lists it. */
async function untilDiskFull(child: ChildService, isListed: boolean): Promise<void> {
  for (const untilMs = performance.now() + 120_000; ; await sleep(100)) {
    const health = JSON.stringify((await ask(child, 'GET', '/health')).body)
    if (health.includes('"disk_full"') === isListed) return
    if (performance.now() > untilMs) throw new Error(`disk_full is ${isListed ? 'not' : 'still'} listed: ${health}`)
  }
}

/**
 * Maximum time of a health request: a second on an idle machine; a request to a store that does not respond would wait
 * for a minute.
 */
const maxHealthMs = 10_000

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly tookMs: number
  readonly body: unknown
}

async function ask({ url }: ChildService, method: string, path: string, body?: unknown): Promise<Answer> {
  const startedMs = performance.now()
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  const tookMs = performance.now() - startedMs
  return { status: response.status, retryAfter: response.headers.get('retry-after'), tookMs, body: answer }
}

/** Single requests may still succeed, because the engines sometimes free space. */
async function firstRefusal(child: ChildService, samples: readonly WireSample[]): Promise<Answer> {
  for (;;) {
    const answer = await ask(child, 'POST', '/ingest/samples', samples)
    if (answer.status !== 202) return answer
    await sleep(20)
  }
}

async function expectUnavailable(asked: Promise<Answer>): Promise<void> {
  const { status, retryAfter, body } = await asked
  expect(status, JSON.stringify(body)).to.equal(503)
  expect(Number(retryAfter)).to.be.at.least(1)
}

async function expectHealth(child: ChildService, status: string): Promise<void> {
  const { body, tookMs } = await ask(child, 'GET', '/health')
  expect(body).to.have.property('status', status)
  expect(tookMs).to.be.below(maxHealthMs)
}
