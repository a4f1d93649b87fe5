import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Live } from '../../../api/live/sessions/live.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { Records } from '../../../processors/records/records.ts'
import { groups, topics } from '../../../schema/topics.ts'
import { readConfig } from '../../../service/config.ts'
import { createRestorer } from '../../../service/live/restore.ts'
import { liveSettingsOf } from '../../../service/roles/live.ts'
import { useFreshDatabase } from '../../support/database.ts'

describe('restore of live data', function () {
  const folder = mkdtempSync(join(tmpdir(), 'takt-restore-'))
  const stopping = new AbortController()
  const logger = pino({ level: 'silent' })
  const store = useFreshDatabase()
  const unasked = (): never => {
    throw new Error('The company or the machine is missing')
  }
  const records = new Records()
  const restorer = (firstWaitMs: number) =>
    createRestorer(
      { log, logger, records, store: store(), machineInputs: { parametersOf: unasked }, clock: Date.now, firstWaitMs },
      live,
      stopping.signal,
    )
  let log: Log
  let live: Live
  before(async () => {
    log = await openEmbeddedLog({ path: join(folder, 'log') })
    await log.createTopics([{ name: topics.samples, partitions: 1, retentionMs: null }])
  })
  after(async () => {
    stopping.abort()
    live.stop()
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('Live data is restored once all earlier samples are in the store', async () => {
    live = new Live({
      records,
      checkToken: unasked,
      history: { samples: unasked, documented: unasked, caughtUp: unasked },
      requestFlush: () => undefined,
      connectorHealth: { get: () => null },
      connectorSecrets: null,
      clock: Date.now,
      logger,
      settings: liveSettingsOf(readConfig({ TAKT_DATA_DIR: folder })),
    })
    const told: number[] = []
    live.listen({ published: () => undefined, needsSamples: () => false, restored: () => told.push(Date.now()) })
    await log.append(topics.samples, [{ key: null, value: Buffer.from('a sample that nobody has read yet') }])
    const restored = restorer(20)()
    for (let times = 0; times < 6_000 && told.length < 3; times++) await sleep(10)
    expect(told, 'restores of which the listeners were notified').to.not.be.empty
    expect(live.isRestored, 'isRestored while samples are not stored yet').to.equal(false)
    const consumer = await log.consume({ topic: topics.samples, group: groups.ingest, onBatch: async () => undefined })
    await consumer.commit(0, 1)
    await restored
    expect(live.isRestored).to.equal(true)
    await consumer.stop()
  })

  it('A newer restore of live data replaces one in progress', async () => {
    await log.append(topics.samples, [{ key: null, value: Buffer.from('another') }])
    const restore = restorer(60_000)
    const first = restore()
    await sleep(100)
    const second = restore()
    await first
    expect(live.isRestored).to.equal(false)
    const consumer = await log.consume({ topic: topics.samples, group: groups.ingest, onBatch: async () => undefined })
    await consumer.commit(0, 2)
    await second
    expect(live.isRestored).to.equal(true)
    await consumer.stop()
  })
})
