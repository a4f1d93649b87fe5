import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { type ChildService, startChild } from '../../support/child-service.ts'
import { runOnStoppedStore } from '../../support/stopped-store.ts'

const preload = fileURLToPath(new URL('../../support/fail-on-signal.js', import.meta.url))

/** The watchdog kills a crashed process after 4.5 s; an ordered stop may take up to 9.5 s. */
const maxCrashMs = 9_000

describe('end of the process', function () {
  let dataDir: string
  let service: ChildService
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-end-'))
  })
  afterEach(async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const start = async (failure: string) => {
    service = await startChild({
      TAKT_DATA_DIR: dataDir,
      TEST_FAILURE: failure,
      NODE_OPTIONS: `--import=${preload}`,
    })
  }
  /** Sends the signal; returns how the process ended, and whether the port was free before that. */
  const end = async (signal: NodeJS.Signals) => {
    const sentMs = performance.now()
    process.kill(service.pid, signal)
    const ended = service.exited.then(how => ({ ...how, tookMs: performance.now() - sentMs }))
    const first = await Promise.race([ended.then(() => 'end'), portFree().then(() => 'port')])
    return { ...(await ended), isPortFreeFirst: first === 'port' }
  }

  /** Resolves when no process listens on the port. */
  const portFree = async (): Promise<void> => {
    const answers = () =>
      fetch(`${service.url}/health`).then(
        () => true,
        () => false,
      )
    while (await answers()) await sleep(20)
  }

  for (const [failure, cause] of [
    ['rejection', 'an unhandled rejection of the test'],
    ['exception', 'an uncaught exception of the test'],
    ['text', 'an unhandled text of the test'],
  ] as const) {
    it(`An unhandled ${failure} ends the process in order and in time`, async () => {
      await start(failure)
      const { code, tookMs } = await end('SIGUSR2')
      // After 4.5 s, the watchdog would have killed it.
      assert.equal(code, 1)
      assert.isBelow(tookMs, maxCrashMs)
      assert.include(service.said(), cause)
      assert.include(service.said(), '"level":60')
    })
  }

  it('The watchdog ends a process that hangs while it exits', async () => {
    await start('rejection,hang')
    const { signal, tookMs, isPortFreeFirst } = await end('SIGUSR2')
    assert.equal(signal, 'SIGKILL')
    assert.isBelow(tookMs, maxCrashMs)
    assert.isTrue(isPortFreeFirst)
    assert.include(service.said(), 'an unhandled rejection of the test')
  })

  it('The watchdog ends a process that hangs after SIGTERM', async () => {
    await start('rejection,hang')
    const { signal, tookMs } = await end('SIGTERM')
    assert.equal(signal, 'SIGKILL')
    assert.isBelow(tookMs, 30_000)
  })

  it('A crash under load loses no accepted sample', async () => {
    await start('rejection')
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe' })
    const accepted: string[] = []
    const firstMs = Date.now() - 3_600_000
    const load = Array.from({ length: 8 }, async (_, lane) => {
      for (let i = 0; ; i++) {
        const timestamp = new Date(firstMs + i * 80 + lane * 10).toISOString()
        const sample = { machineId, timestamp, key: 'part_count', type: 'PART_COUNT', value: String(i * 8 + lane) }
        const status = await service.call('POST', '/ingest/samples', [sample]).then(
          answer => answer.status,
          () => null,
        )
        if (status === null) return
        if (status === 202) accepted.push(timestamp)
      }
    })
    while (accepted.length <= 8) await sleep(20)
    const { code, tookMs } = await end('SIGUSR2')
    await Promise.all(load)
    assert.equal(code, 1)
    assert.isBelow(tookMs, maxCrashMs)
    assert.isAbove(accepted.length, 8)
    service = await startChild({ TAKT_DATA_DIR: dataDir })
    await service.settled()
    const health = await service.call('GET', '/health')
    assert.equal(health.status, 200)
    assert.isAtLeast(await storedSamples(), accepted.length)
  })

  /** Number of samples in the store, read after the service has stopped. */
  async function storedSamples(): Promise<number> {
    assert.equal((await service.stop()).code, 0)
    const [row] = await runOnStoppedStore(join(dataDir, 'store'), 'query', 'SELECT uniqExact(at_us) AS n FROM samples')
    return Number(row?.['n'])
  }
})
