import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProgressStore } from '../../clickhouse/documents/progress-store.ts'
import { createStoredRecords } from '../../clickhouse/projections/stored-records.ts'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import { type Log, OffsetOutOfRange } from '../../log/log.ts'
import { topics } from '../../schema/topics.ts'
import { deleteOldRecords } from '../../service/roles/records-retention.ts'
import { eventually } from '../log/fixture.ts'
import { freshDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { startChild as startOne, type ChildService } from '../support/child-service.ts'

const dayMs = 86_400_000
const children: ChildService[] = []
const folders: string[] = []

async function start(dataDir: string): Promise<ChildService> {
  const child = await startOne({ TAKT_DATA_DIR: dataDir, TAKT_RECORDS_RETENTION_DAYS: '7' })
  children.push(child)
  return child
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'takt-retention-'))
  folders.push(folder)
  return folder
}

/** Whether the log has the first entry of records.v1. */
async function hasFirstEntry(log: Log): Promise<boolean> {
  const following = log.follow({ topic: topics.records, from: [0], onBatch: () => undefined })
  const error = await following.then(follower => follower.stop()).catch((reason: unknown) => reason)
  if (error !== undefined) expect(error).to.be.instanceOf(OffsetOutOfRange)
  return error === undefined
}

type Calls = Pick<TestService, 'call' | 'settled'>

async function putMachines({ call, settled }: Calls, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { status } = await call('PUT', `/machines/${randomUUID()}`, { name: `Machine ${i}` })
    expect(status).to.equal(200)
  }
  await settled()
}

async function machinesOf({ call }: Calls): Promise<readonly { readonly machineRef: number }[]> {
  const { body } = await call('GET', '/machines')
  return Array.isArray(body) ? body : []
}

describe('retention of records.v1', () => {
  afterEach(async () => {
    await Promise.all(children.splice(0).map(child => child.kill()))
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })

  it('After entries were deleted, a start has all records, and further changes are numbered after them', async () => {
    const path = freshFolder()
    const database = await freshDatabase()
    let nowMs = Date.now()
    const firstMs = nowMs
    const log = await openEmbeddedLog({ path, clock: () => nowMs })
    const { store } = database
    const deps = { log, stored: createStoredRecords(store), progress: createProgressStore(store) }
    const startAt = () => startService({ log, store, nowMs })
    // A process stores the offsets of its partitions every 10 s, and none at its stop.
    const haveOffset = async (offset: number) => {
      const offsets = [...(await deps.progress.readRecordsOffsets()).values()]
      return offsets.length === (await log.partitionCount(topics.stateSamples)) && offsets.every(each => each >= offset)
    }
    let ofFirstDay = 0
    for (const [day, expected] of [0, 2, 4].entries()) {
      nowMs = firstMs + expected * dayMs
      const service = await startAt()
      await putMachines(service, 3)
      if (day === 0) [ofFirstDay = 0] = await log.endOffsets(topics.records)
      if (day === 2) await eventually(() => haveOffset(ofFirstDay))
      await service.stop()
      await deleteOldRecords(deps, firstMs)
      expect(await hasFirstEntry(log), `day ${day}`).to.equal(true)
    }
    await deleteOldRecords(deps, firstMs + dayMs)
    expect(await hasFirstEntry(log)).to.equal(false)
    for (const count of [9, 12]) {
      const service = await startAt()
      const machines = await machinesOf(service)
      expect(new Set(machines.map(({ machineRef }) => machineRef)).size).to.equal(count)
      await putMachines(service, 3)
      await service.stop()
    }
    await log.close()
    await database.drop()
  })

  it('A store that is older than the remaining entries is rejected', async () => {
    const dataDir = freshFolder()
    const backup = join(freshFolder(), 'store')
    const first = await start(dataDir)
    await putMachines(first, 2)
    await first.stop()
    cpSync(join(dataDir, 'store'), backup, { recursive: true })
    const second = await start(dataDir)
    await putMachines(second, 20)
    await second.stop()
    const log = await openEmbeddedLog({ path: join(dataDir, 'log') })
    const [end = 0] = await log.endOffsets(topics.records)
    await log.deleteRecords(topics.records, { partition: 0, offset: end - 5, beforeMs: Date.now() + dayMs })
    expect(await hasFirstEntry(log)).to.equal(false)
    await log.close()
    rmSync(join(dataDir, 'store'), { recursive: true })
    cpSync(backup, join(dataDir, 'store'), { recursive: true })
    const error = await start(dataDir).then(
      () => '',
      (reason: unknown) => String(reason),
    )
    expect(error).to.match(/Restore log and store from one backup/)
  })
})
