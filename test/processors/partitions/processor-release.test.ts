import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../../clickhouse/client/store.ts'
import { hours } from '../../../clickhouse/tables/documents.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { ConsumeOptions, Log } from '../../../log/log.ts'
import { topics, type LiveStatus } from '../../../schema/topics.ts'
import { parseLiveMessage } from '../../../service/live/message.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { addMachine, post } from '../../api/live/plant.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { startService, type TestService } from '../../support/service.ts'
import { withMethods } from '../../support/with-methods.ts'

describe('partition that moves to another owner', function () {
  const folder = mkdtempSync(join(tmpdir(), 'takt-release-'))
  const held = deferred<void>()
  const goOn = deferred<void>()
  let isHolding = false
  let database: TestDatabase
  let log: Log
  let service: TestService
  /** The options with which the processor consumes its partitions. */
  let following: ConsumeOptions
  /** The last batch that the processor received, by partition. */
  const taken = new Map<number, Promise<void>>()

  const insertNative: Store['insertNative'] = async (table, ...rest) => {
    if (isHolding && table === hours.name) {
      held.resolve()
      await goOn.promise
    }
    return database.store.insertNative(table, ...rest)
  }
  const consume: Log['consume'] = options => {
    if (options.topic !== topics.stateSamples) return log.consume(options)
    following = options
    const onBatch: ConsumeOptions['onBatch'] = batch => {
      const done = options.onBatch(batch)
      taken.set(batch.partition, done)
      return done
    }
    return log.consume({ ...options, onBatch })
  }

  before(async () => {
    database = await freshDatabase()
    log = await openEmbeddedLog({ path: join(folder, 'log') })
    service = await startService({
      log: withMethods(log, { consume }),
      store: withMethods(database.store, { insertNative }),
    })
  })
  after(async () => {
    goOn.resolve()
    await service?.stop()
    await log?.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Returns the statuses in the topic, in order, of one machine or of all machines. */
  async function statuses(machineRef?: number): Promise<readonly LiveStatus[]> {
    const all: LiveStatus[] = []
    // This record is appended after all pending records, so the statuses before it are complete.
    await log.append(topics.live, [{ key: null, value: Buffer.from('{"kind":"documents","machines":[]}') }])
    const follower = await log.follow({
      topic: topics.live,
      from: 'earliest',
      onBatch: ({ records }) => {
        for (const { value } of records) all.push(...(parseLiveMessage(value, 'status')?.statuses ?? []))
      },
    })
    await follower.catchUp()
    await follower.stop()
    return machineRef === undefined ? all : all.filter(status => status.machineRef === machineRef)
  }

  /** Publishes, as another owner of the partition, that the machine is unavailable. */
  async function tellAsNext(before: LiveStatus): Promise<LiveStatus> {
    const next: LiveStatus = { ...before, status: 'UNAVAILABLE', sinceMs: before.sinceMs + 1 }
    const message = JSON.stringify({ kind: 'status', statuses: [next] })
    await log.append(topics.live, [{ key: null, value: Buffer.from(message) }])
    return next
  }

  /** Creates a machine and waits until its status ACTIVE is published. */
  async function activeMachine() {
    const machineId = await addMachine(service)
    const send = (value: string) => post(service, machineId, [{ at: Date.now(), key: 'e', type: 'EXECUTION', value }])
    await send('ACTIVE')
    await service.settled()
    const active = (await statuses()).findLast(({ status }) => status === 'ACTIVE')
    if (active === undefined) throw new Error('no status was published')
    return { send, active }
  }

  const partitions = async () =>
    Array.from({ length: await log.partitionCount(topics.stateSamples) }, (_, index) => index)

  it('A reassigned partition publishes its status again although this process published the same before', async () => {
    const { send, active } = await activeMachine()
    await following.onRevoked?.(await partitions())
    await tellAsNext(active)
    await following.onAssigned?.(await partitions())
    await send('ACTIVE')
    await service.settled()
    expect((await statuses(active.machineRef)).at(-1)).to.deep.equal(active)
  })

  it('A previous owner publishes no status after its revocation, even if its work ends later', async () => {
    const { send, active } = await activeMachine()
    isHolding = true
    await send('READY')
    await held.promise
    await following.onRevoked?.(await partitions())
    const next = await tellAsNext(active)
    isHolding = false
    goOn.resolve()
    await Promise.all(taken.values())
    expect((await statuses(active.machineRef)).at(-1)).to.deep.equal(next)
  })
})
