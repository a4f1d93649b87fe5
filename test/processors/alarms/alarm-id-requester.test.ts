import { expect } from 'chai'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createAlarmIdStore } from '../../../clickhouse/documents/alarm-ids.ts'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { AlarmIdRequester, type AlarmIdRequesterDeps } from '../../../processors/alarms/alarm-id-requester.ts'
import { createAssignAlarmIds, assignAlarmIds } from '../../../processors/alarms/assign-alarm-ids.ts'
import type { AlarmIdStore } from '../../../schema/alarm-instance.ts'
import { naiveRegistrarHistory } from '../../support/naive-uses.ts'
import { Records } from '../../../processors/records/records.ts'
import { createRegistrarRole } from '../../../processors/registrar/role.ts'
import type { VersionedDocument } from '../../../schema/document-store.ts'
import { type AlarmElement } from '../../../schema/document.ts'
import { hourMs } from '../../../shared/time/units.ts'
import type { Log } from '../../../log/log.ts'
import { topics } from '../../../schema/topics.ts'
import { aDocument } from '../../clickhouse/documents/a-document.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

const slotMs = Date.UTC(2026, 2, 2, 6)
const partition = 3
let companyRef = 100
let written = 0n

describe('AlarmIdRequester', () => {
  const store = useFreshDatabase()
  const logger = pino({ level: 'silent' })
  let path: string
  let log: Log
  let nowMs: number
  const stops: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    companyRef++
    nowMs = slotMs + hourMs
    path = await mkdtemp(join(tmpdir(), 'takt-alarm-ids-'))
    log = await openEmbeddedLog({ path })
    await log.createTopics([
      { name: topics.commands, partitions: 1, retentionMs: null },
      { name: topics.records, partitions: 1, retentionMs: null },
    ])
  })

  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop()
    await log.close()
    await rm(path, { recursive: true })
  })

  function startRegistrar(): void {
    const effects = () => new Map([[assignAlarmIds, createAssignAlarmIds(createAlarmIdStore(store()))]])
    const registrar = createRegistrarRole({
      history: naiveRegistrarHistory(new Records()),
      log,
      logger,
      effects,
      backOffMs: 5,
    })
    const running = registrar.run()
    stops.push(() => registrar.stop().then(() => running))
  }

  async function takeOver(options: Partial<AlarmIdRequesterDeps> = {}): Promise<AlarmIdRequester> {
    const requester = new AlarmIdRequester({
      store: createAlarmIdStore(store()),
      log,
      records: new Records(),
      clock: () => nowMs,
      logger,
      owner: 'test',
      isBusy: () => false,
      ...options,
    })
    stops.push(() => requester.stop())
    await requester.takeOver(partition, [asCompanyRef(companyRef)])
    return requester
  }

  /** Writes a document with alarms that start at the given ms of its hour. */
  async function write(...startsMs: readonly number[]): Promise<VersionedDocument> {
    const alarms = startsMs.map((ms): AlarmElement => ({
      key: 'system',
      nativeCode: '1',
      message: '',
      level: 'FAULT',
      startMs: slotMs + ms,
      endMs: null,
    }))
    const document = aDocument({
      companyRef: asCompanyRef(companyRef),
      machineRef: asMachineRef(1000 + companyRef),
      slotMs: slotMs + Number(written) * hourMs,
      alarms,
      version: ++written,
    })
    await createDocumentStore(store()).writeDocuments([document])
    return document
  }

  async function given(): Promise<readonly (readonly [number, number])[]> {
    const [ids, starts] = await store().columns<[number[], string[]]>(
      sql`SELECT id, start_ms FROM alarm_ids FINAL WHERE company = ${uint32(companyRef)} ORDER BY id`,
    )
    return ids.map((id, i) => [id, Number(starts[i]) - slotMs] as const)
  }

  async function untilDone(requester: AlarmIdRequester): Promise<void> {
    while (requester.due(partition) > 0) await sleep(5)
  }

  it('No alarm ids are due once every instance has an id', async () => {
    startRegistrar()
    const requester = await takeOver()
    await untilDone(requester)
    requester.add(partition, [await write(20, 10), await write(20, 5)])
    expect(requester.due(partition)).to.equal(3)
    await untilDone(requester)
    expect(await given()).to.deep.equal([
      [1, 5],
      [2, 10],
      [3, 20],
    ])
    requester.add(partition, [await write(10)])
    expect(requester.due(partition)).to.equal(0)
  })

  it('Alarm ids stay due until a registrar runs', async () => {
    const requester = await takeOver()
    requester.add(partition, [await write(10)])
    await sleep(150)
    expect(requester.due(partition)).to.be.greaterThan(0)
    startRegistrar()
    await untilDone(requester)
    expect(await given()).to.deep.equal([[1, 10]])
  })

  it('An alarm instance that starts in the future gets its id once its start has passed', async () => {
    startRegistrar()
    const requester = await takeOver()
    nowMs = slotMs + 10
    requester.add(partition, [await write(10, 11)])
    await untilDone(requester)
    expect(await given()).to.deep.equal([[1, 10]])
    nowMs = slotMs + 11
    expect(requester.due(partition)).to.equal(1)
    await requester.tick()
    await untilDone(requester)
    expect(await given()).to.deep.equal([
      [1, 10],
      [2, 11],
    ])
  })

  it('After a take-over, stored instances without ids get ids', async () => {
    await write(10, 20)
    await write(30)
    startRegistrar()
    const requester = await takeOver()
    expect(requester.due(partition)).to.be.greaterThan(0)
    await untilDone(requester)
    expect(await given()).to.deep.equal([
      [1, 10],
      [2, 20],
      [3, 30],
    ])
  })

  it('After a take-over, documents whose instances all have ids are not read again; a future instance without id keeps its document readable', async () => {
    startRegistrar()
    const first = await takeOver()
    const early = await write(10)
    first.add(partition, [early])
    await untilDone(first)
    await first.tick()
    expect(await fromVersions()).to.equal(early.version + 1n)
    nowMs = slotMs
    const ahead = await write(5000)
    first.release(partition)
    const second = await takeOver()
    await untilDone(second)
    second.add(partition, [await write(-7)])
    await untilDone(second)
    await second.tick()
    expect(await fromVersions()).to.equal(ahead.version)
  })

  /** Returns the document version at which the next requester would start. */
  async function fromVersions(): Promise<bigint> {
    const froms: bigint[] = []
    const inner = createAlarmIdStore(store())
    const watched: AlarmIdStore = {
      ...inner,
      writtenSince: (of, version, documents) => {
        froms.push(version)
        return inner.writtenSince(of, version, documents)
      },
    }
    const requester = await takeOver({ store: watched })
    await untilDone(requester)
    await requester.stop()
    return froms[0] ?? -1n
  }

  it('With more instances than maxPending, every alarm instance gets an id and the ids have no gaps', async () => {
    const requester = await takeOver({ maxPending: 10 })
    for (let document = 0; document < 10; document++) {
      const startsMs = Array.from({ length: 7 }, (_, i) => document * 7 + i)
      requester.add(partition, [await write(...startsMs)])
    }
    startRegistrar()
    await untilDone(requester)
    const rows = await given()
    expect(rows.map(([, start]) => start).toSorted((a, b) => a - b)).to.deep.equal(
      Array.from({ length: 70 }, (_, i) => i),
    )
    expect(rows.map(([id]) => id)).to.deep.equal(Array.from({ length: 70 }, (_, i) => i + 1))
  })

  it('A failed read of known alarm ids is retried', async () => {
    startRegistrar()
    let failures = 2
    const inner = createAlarmIdStore(store())
    const failing: AlarmIdStore = {
      ...inner,
      known: (...asked) =>
        failures-- > 0 ? Promise.reject(new Error('the store is unavailable')) : inner.known(...asked),
    }
    const requester = await takeOver({ store: failing })
    requester.add(partition, [await write(10)])
    await untilDone(requester)
    expect(failures).to.be.lessThan(0)
    expect(await given()).to.deep.equal([[1, 10]])
  })
})
