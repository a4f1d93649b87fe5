import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Random } from '../../demo/simulate/random.ts'
import { openKafkaLog } from '../../log/kafka/kafka-log.ts'
import { deadLetterReasons } from '../../schema/requests/dead-letters.ts'
import type { Health } from '../../schema/requests/health.ts'
import { type DeadLetter, groups, topics } from '../../schema/topics.ts'
import { startChild, type ChildService } from '../support/child-service.ts'
import { heldMs, holdMeterEnv } from '../support/hold-meter.ts'
import { type Broker, kafkaClient, sharedBroker } from '../support/kafka.ts'
import { overwriteBatches } from '../support/overwrite-batches.ts'
import { produceRaw } from '../support/produce-raw.ts'
import { settled } from '../support/service.ts'
import { noteSkipped } from '../support/skipped.ts'
import { sharedClickhouse } from '../support/shared-clickhouse.ts'
import { removeTopics } from '../end-to-end/topics.ts'
import { initializeZstd } from '../support/record-batch.ts'
import { BatchMaker, type FuzzBatch } from './kafka-batches.ts'

/** `npm run test:fuzz` sends 20,000. */
const records = Number(process.env['TAKT_FUZZ_RECORDS'] ?? 500)
const seed = Number(process.env['TAKT_FUZZ_SEED'] ?? Date.now() % 1_000_000)
/** As in `fuzz.test.ts`. */
const longestHoldMs = 250
const maxMemoryMb = 500

describe(`records of Kafka that hold anything (TAKT_FUZZ_SEED=${seed})`, function () {
  before(initializeZstd)
  this.timeout(300_000 + records * 100)
  const folder = mkdtempSync(join(tmpdir(), 'takt-fuzz-kafka-'))
  const holds = join(folder, 'holds')
  const [counted, attacked] = [randomUUID(), randomUUID()]
  let broker: Broker
  let dataDir: string
  let env: Readonly<Record<string, string>>
  let service: ChildService | null = null

  before(async function () {
    const found = await sharedBroker()
    // Batches can be replaced only in the file of a broker that the tests started. `sharedBroker` itself notes that there is none.
    if (found?.dataDir === undefined) {
      if (found)
        noteSkipped('fuzzed records of Kafka', 'unset KAFKA_BROKERS: the test replaces batches in a file of its broker')
      return this.skip()
    }
    broker = found
    dataDir = found.dataDir
    await removeTopics(broker)
    const kafka = { KAFKA_BROKERS: broker.brokers.join(','), TAKT_PARTITIONS: '1' }
    env = { ...(await sharedClickhouse()).env(), ...kafka, TAKT_DATA_DIR: folder }
    service = await startChild(env)
    for (const id of [counted, attacked])
      await service.call('PUT', `/machines/${id}`, { name: id, partCounter: 'increment' })
    await service.settled()
    await service.stop()
  })
  after(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('Each sound sample is counted once, and each other record is a dead letter or a counted tombstone', async () => {
    const startMs = Date.now() - 3_600_000
    const maker = new BatchMaker(new Random(seed), { counted, attacked }, startMs)
    const batches = await produce(maker)
    service = await startChild({ ...env, ...holdMeterEnv(holds) })
    // The start itself holds the event loop while modules are loaded.
    const fromUs = nowUs()
    await settled(service.url, 60_000 + records * 50)
    await sleep(300)
    const [holdMs, memoryMb] = [heldMs(holds, fromUs, nowUs()), peakMemoryMb(service.pid)]
    process.stdout.write(`      longest hold ${holdMs.toFixed(0)} ms; memory at most ${memoryMb} MB\n`)

    const body = {
      start: new Date(startMs - 60_000).toISOString(),
      end: new Date(maker.nextMs + 60_000).toISOString(),
      data: [{ metric: 'totalParts' }],
      filter: { machine: [counted] },
    }
    const report = await service.call('POST', '/reports/production', body)
    const parts = batches.reduce((sum, batch) => sum + batch.counted, 0)
    expect(report.body).to.have.nested.property('aggregate.totalParts', parts)

    const letters = await deadLettersOf(broker)
    for (const { reason, message, topic } of letters) {
      expect(deadLetterReasons).to.include(reason)
      expect([message === '', topic]).to.deep.equal([false, topics.samples])
    }
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    const accepted = metricOf(metrics, 'takt_samples_accepted_total')
    const skipped = metricOf(metrics, 'takt_records_skipped_total')
    expect(withoutLetter(batches, letters).length, 'offsets without a dead letter').to.equal(accepted + skipped)
    expect(accepted).to.be.at.least(parts)

    const end = batches.reduce((sum, batch) => sum + batch.records, 0)
    expect(await committedOffset(broker)).to.equal(end)
    const health: Health = JSON.parse(await (await fetch(`${service.url}/health`)).text())
    expect(health).to.deep.include({ status: 'ok', problems: [] })
    expect(service.said(), 'the log of errors').to.equal('')
    expect(holdMs, 'the longest hold of the event loop').to.be.below(longestHoldMs)
    expect(memoryMb, 'the largest memory of the process, MB').to.be.below(maxMemoryMb)
  })

  /** Fills the topic while the service is stopped, so that batches can be replaced before they are read. */
  async function produce(maker: BatchMaker): Promise<readonly FuzzBatch[]> {
    const batches: FuzzBatch[] = []
    const stored = new Map<number, Buffer>()
    const counts = new Map<string, number>()
    const send = async (batch: FuzzBatch): Promise<void> => {
      const [offset = 0] = await produceRaw(broker.brokers[0] ?? '', { topic: topics.samples }, [batch.sent])
      batches.push(batch)
      counts.set(batch.kind, (counts.get(batch.kind) ?? 0) + 1)
      if (batch.stored) stored.set(offset, batch.stored)
    }
    for (const batch of maker.each()) await send(batch)
    for (let sent = 0; sent < records;) {
      const batch = maker.next()
      await send(batch)
      sent += batch.records
    }
    overwriteBatches(dataDir, topics.samples, stored)
    process.stdout.write(`      ${[...counts].map(([kind, count]) => `${kind}: ${count}`).join(', ')}\n`)
    return batches
  }
})

/** Offsets of records, beside those of control batches, that no dead letter stands for. */
function withoutLetter(batches: readonly FuzzBatch[], letters: readonly DeadLetter[]): readonly number[] {
  const covered = new Set<number>()
  for (const { offset, message } of letters) {
    const [, first = offset] = /\(offsets (\d+) to \d+\)/.exec(message) ?? []
    for (let each = Number(first); each <= offset; each++) covered.add(each)
  }
  const offsets = batches.flatMap(({ records: count, isControl }) => Array.from({ length: count }, () => isControl))
  return offsets.flatMap((isControl, offset) => (isControl || covered.has(offset) ? [] : [offset]))
}

async function deadLettersOf({ brokers }: Broker): Promise<readonly DeadLetter[]> {
  const log = await openKafkaLog({ brokers, clientId: 'fuzz' })
  const letters: DeadLetter[] = []
  const follower = await log.follow({
    topic: topics.deadLetters,
    from: 'earliest',
    onBatch: batch => {
      for (const { value } of batch.records) letters.push(JSON.parse(value.toString()))
    },
  })
  await follower.caughtUp
  await follower.stop()
  await log.close()
  return letters
}

/** The consumer commits after the insert. */
async function committedOffset({ brokers }: Broker): Promise<number> {
  const admin = kafkaClient(brokers).admin()
  await admin.connect()
  const [found] = await admin.fetchOffsets({ groupId: groups.ingest, topics: [topics.samples] })
  await admin.disconnect()
  return Number(found?.partitions[0]?.offset)
}

/** Sum over all labels. */
function metricOf(text: string, name: string): number {
  const values = [...text.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value))
  return values.reduce((sum, value) => sum + value, 0)
}

/** The largest memory of a process until now, MB. */
function peakMemoryMb(pid: number): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
