import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import kafkajs, { type Admin, type Kafka as KafkaClient } from 'kafkajs'
import { startChild, type ChildService } from '../support/child-service.ts'
import { type Broker, kafkaClient, sharedBroker } from '../support/kafka.ts'
import { sharedClickhouse } from '../support/shared-clickhouse.ts'
import { removeTopics } from './topics.ts'

const { ConfigResourceTypes } = kafkajs
const topic = 'samples.v1'

describe('service on Kafka', function () {
  let broker: Broker
  let kafka: KafkaClient
  let admin: Admin
  let env: Readonly<Record<string, string>>
  let child: ChildService | null = null

  before(async function () {
    const shared = await sharedBroker()
    if (!shared) return this.skip()
    broker = shared
    kafka = kafkaClient(broker.brokers)
  })
  beforeEach(async () => {
    await removeTopics(broker)
    // Each test has a new client, because kafkajs would request the topics of earlier tests, which no longer exist.
    admin = kafka.admin()
    await admin.connect()
    const clickhouse = await sharedClickhouse()
    env = { ...clickhouse.env(), KAFKA_BROKERS: broker.brokers.join(','), TAKT_PARTITIONS: '2', TAKT_LOG_LEVEL: 'warn' }
  })
  afterEach(async () => {
    await child?.kill()
    child = null
    await admin.disconnect()
  })

  const start = async (): Promise<ChildService> => (child = await startChild(env))

  it('The lag is 0 after producers that write in transactions, and the service stays ready', async () => {
    const service = await start()
    const machineId = await createMachine(service)
    const producer = kafka.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 })
    await producer.connect()
    for (const partition of [0, 1])
      for (const end of ['commit', 'abort'] as const) {
        const transaction = await producer.transaction()
        const samples = [sampleAt(Date.now() - 60_000)]
        await transaction.send({ topic, messages: [{ partition, value: JSON.stringify({ machineId, samples }) }] })
        await transaction[end]()
      }
    await producer.disconnect()
    await service.settled()
    await expectReady(service)
    // A service that starts after the markers receives no record before them.
    await service.stop()
    const again = await start()
    await again.settled()
    await expectReady(again)
  })

  it('Partitions added to samples.v1 are used within 10 s, and the service stays ready', async () => {
    const service = await start()
    // Fixed ids: random ones may leave a partition without a machine.
    const ids = Array.from({ length: 40 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
    const machines = await Promise.all(ids.map(id => createMachine(service, id)))
    const post = async (): Promise<void> => {
      const samples = machines.map(machineId => ({ machineId, ...sampleAt(Date.now()) }))
      expect((await service.call('POST', '/ingest/samples', samples)).status).to.equal(202)
    }
    await post()
    await service.settled()
    await admin.createPartitions({ topicPartitions: [{ topic, count: 6 }] })
    const addedMs = performance.now()
    const producer = kafka.producer()
    await producer.connect()
    const value = JSON.stringify({ machineId: machines[0], samples: [sampleAt(Date.now() - 60_000)] })
    await producer.send({ topic, messages: [{ partition: 5, value }] })
    await producer.disconnect()
    // Samples arrive continuously, and those sent during the change must be accepted too.
    const postUntil = async (isTrue: () => Promise<boolean>, what: string): Promise<void> => {
      for (const untilMs = Date.now() + 120_000; !(await isTrue()); await sleep(200)) {
        expect(Date.now(), `${what} within 120 s`).to.be.below(untilMs)
        await post()
      }
    }
    await postUntil(() => isRead(5), 'partition 5 is read')
    await postUntil(() => hasRecords([2, 3, 4, 5]), 'the new partitions have records')
    // The limit on an idle machine is 10 s.
    expect(performance.now() - addedMs).to.be.below(20_000)
    await service.settled()
    await expectReady(service)
  })

  it('The timestamp type of a samples.v1 that an administrator created is set to LogAppendTime', async () => {
    const configEntries = [{ name: 'retention.ms', value: '123456789' }]
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }], waitForLeaders: false })
    const service = await start()
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic }]
    const { resources: found } = await admin.describeConfigs({ resources, includeSynonyms: false })
    const settings = new Map(found[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]))
    expect(settings.get('message.timestamp.type')).to.equal('LogAppendTime')
    expect(settings.get('retention.ms'), 'the retention setting is unchanged').to.equal('123456789')
    expect(service.said()).to.match(/"topic":"samples.v1".*LogAppendTime/)

    const machineId = await createMachine(service)
    const producer = kafka.producer()
    await producer.connect()
    // Seconds instead of milliseconds.
    const timestamp = String(Math.floor(Date.now() / 1000))
    const value = JSON.stringify({ machineId, samples: [sampleAt(Date.now() - 60_000)] })
    await producer.send({ topic, messages: [{ value, timestamp }] })
    await producer.disconnect()
    await service.settled()
    expect((await service.call('GET', '/dead-letters')).body).to.deep.equal({ reasons: [] })
  })

  it('Without a reachable broker, requests fail with 503 within 2 s and one line a minute is logged', async function () {
    const { kill, restart } = broker
    if (!kill || !restart) return this.skip()
    const service = await start()
    const machineId = await createMachine(service)
    const posting = async () => {
      const startedMs = performance.now()
      const { status } = await service.call('POST', '/ingest/samples', { machineId, ...sampleAt(Date.now()) })
      return { status, tookMs: performance.now() - startedMs }
    }
    expect((await posting()).status).to.equal(202)
    const before = service.said()
    await kill()
    try {
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, second) => {
          await sleep(second * 1_000)
          return posting()
        }),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 503))
      const tookMs = answers.map(answer => answer.tookMs).toSorted((a, b) => a - b)
      expect(tookMs[10]).to.be.below(2_000)
      // Other tests may delay single answers.
      expect(tookMs.at(-1)).to.be.below(6_000)
      await sleep(10_000)
      const lines = service.said().slice(before.length).trim().split('\n')
      expect(lines, lines.join('\n')).to.have.lengthOf(1)
    } finally {
      await restart()
    }
    while ((await posting()).status !== 202) await sleep(100)
    await service.settled()
  })

  /** Returns whether the service has read a partition to its end. */
  async function isRead(partition: number): Promise<boolean> {
    const [group] = await admin.fetchOffsets({ groupId: 'takt-ingest', topics: [topic] })
    const committed = group?.partitions.find(each => each.partition === partition)?.offset ?? '-1'
    return Number(committed) > 0
  }

  async function hasRecords(partitions: readonly number[]): Promise<boolean> {
    const offsets = await admin.fetchTopicOffsets(topic)
    const ends = new Map(offsets.map(({ partition, high }) => [partition, Number(high)]))
    return partitions.every(partition => (ends.get(partition) ?? 0) > 0)
  }
})

async function createMachine({ call }: ChildService, id: string = randomUUID()): Promise<string> {
  expect((await call('PUT', `/machines/${id}`, { name: id })).status).to.equal(200)
  return id
}

function sampleAt(ms: number) {
  return { timestamp: new Date(ms).toISOString(), key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
}

async function expectReady({ call }: ChildService): Promise<void> {
  const { status, body } = await call('GET', '/health/ready')
  expect(body).to.have.property('reasons').that.deep.equals([])
  expect(status).to.equal(200)
}
