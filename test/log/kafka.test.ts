import { randomUUID } from 'node:crypto'
import type { KafkaLogOptions } from '../../log/kafka/client.ts'
import { openKafkaLog } from '../../log/kafka/kafka-log.ts'
import type { Log } from '../../log/log.ts'
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs'
import { expect } from 'chai'
import { retry } from '../../shared/async/retry.ts'
import { Fenced, LogUnavailable } from '../../log/log.ts'
import { type Broker, groupIds, kafkaClient, sharedBroker } from '../support/kafka.ts'
import { describeLog } from './contract.ts'
import { eventually, freshGroup, freshTopic, gate, numbers, Received, sleep, text } from './fixture.ts'

describe('log on Kafka', function () {
  let log: Log
  let broker: Broker
  const others: Log[] = []
  const open = async (options: Partial<KafkaLogOptions> = {}): Promise<Log> => {
    const another = await openKafkaLog({ brokers: broker.brokers, clientId: `takt-test-${randomUUID()}`, ...options })
    others.push(another)
    return another
  }

  before(async function () {
    const shared = await sharedBroker()
    if (shared === null) this.skip()
    broker = shared
    log = await open()
  })
  after(async () => {
    await Promise.all(others.map(each => each.close()))
  })

  // These tests run first, because a restarted broker reads everything that was written before.
  describe('broker that becomes unavailable', function () {
    let kill: () => Promise<void>
    let restart: () => Promise<void>
    let down = false
    before(function () {
      const { kill: ends, restart: begins } = broker
      if (ends === undefined || begins === undefined) this.skip()
      kill = async () => {
        down = true
        await ends()
      }
      restart = async () => {
        await begins()
        down = false
      }
    })
    // A failed test must not fail the following ones.
    afterEach(async () => {
      if (down) await restart()
    })

    it('Calls fail with LogUnavailable while the broker is down, and consumption continues when it is back', async () => {
      const topic = await freshTopic(log)
      const logged: string[] = []
      const logger = {
        debug: () => undefined,
        info: () => undefined,
        warn: ({ namespace }: { readonly namespace?: unknown }) => void logged.push(String(namespace)),
        error: () => void logged.push('error'),
      }
      const hasty = await open({ timeoutMs: 2_000, logger })
      await hasty.append(topic, [text('before')])
      const received = new Received()
      const follower = await log.follow({ topic, from: 'earliest', onBatch: received.onBatch })
      await kill()
      const asked = {
        append: hasty.append(topic, [text('lost')]),
        joining: hasty.consume({ topic, group: freshGroup(), onBatch: received.onBatch }),
        transactor: hasty.transactor(topic, { topics: [topic], group: freshGroup() }),
        ping: hasty.ping(),
      }
      const answers = await Promise.allSettled(Object.values(asked))
      for (const [index, what] of Object.keys(asked).entries()) {
        const answer = answers[index]
        expect(answer?.status === 'rejected' && answer.reason, what).to.be.instanceOf(LogUnavailable)
      }
      await restart()
      await eventually(() =>
        hasty.append(topic, [text('after')]).then(
          () => true,
          () => false,
        ),
      )
      await received.until(() => received.texts.includes('after'))
      expect(received.texts.filter(value => value === 'before')).to.deep.equal(['before'])
      await follower.stop()
      expect(logged, 'an unavailable broker is not logged as an error')
        .to.include('Connection')
        .and.not.include('error')
    })

    it('A commit that the broker did not store fails', async () => {
      const topic = await freshTopic(log)
      const group = freshGroup()
      const hasty = await open({ timeoutMs: 2_000 })
      await hasty.append(topic, numbers(0, 40))
      const received = new Received()
      const consumer = await hasty.consume({ topic, group, onBatch: received.onBatch })
      await received.count(40)
      await consumer.commit(0, 1)
      await kill()
      // In each repetition, the client is in a different phase: finding the broker, giving up, restarting.
      const committing: Promise<unknown>[] = []
      for (let offset = 2; offset <= 21; offset++) {
        committing.push(consumer.commit(0, offset).catch((error: unknown) => error))
        await sleep(200)
      }
      const answers = await Promise.all(committing)
      for (const answer of answers) expect(answer).to.be.instanceOf(LogUnavailable)
      await restart()
      await eventually(() =>
        consumer.commit(0, 40).then(
          () => true,
          () => false,
        ),
      )
      // A restarted client is another member of the group: it reads the records again and commits them.
      if ((await log.committed(group, topic))[0] !== 40) {
        await received.count(40 + 39)
        await consumer.commit(0, 40)
      }
      expect(await log.committed(group, topic)).to.deep.equal([40])
      await consumer.stop()
    })

    it('Opening the log waits for the broker, and a ping fails within its time limit', async () => {
      const [old, fresh] = [await freshTopic(log, 2), `t-${randomUUID()}`]
      const known = await open()
      await kill()
      const opened = open()
      const received = new Received()
      const begun = Promise.all([
        known.createTopics([{ name: fresh, partitions: 1, retentionMs: null }]),
        known.partitionCount(old),
        known.follow({ topic: old, from: 'earliest', onBatch: received.onBatch }),
        opened.then(other => other.partitionCount(old)),
      ])
      begun.catch(() => undefined)
      const askedMs = performance.now()
      const pinged = known.ping().catch((error: unknown) => error)
      await sleep(4_000)
      expect(await pinged).to.be.instanceOf(LogUnavailable)
      // Without the time limit, the ping would wait for 30 s.
      expect(performance.now() - askedMs).to.be.below(20_000)
      await restart()
      const [, count, follower, counted] = await begun
      expect([count, counted]).to.deep.equal([2, 2])
      await log.append(old, [text('seen')])
      await received.count(1)
      await follower.stop()
    })

    it('A broker that is killed and restarted loses and repeats no record', async () => {
      const topic = await freshTopic(log, 2)
      const writers = [0, 1, 2, 3]
      const count = 150
      const write = async (writer: number): Promise<void> => {
        for (let turn = 0; turn < count; turn++) {
          await log.append(topic, [text(`${writer}/${turn}`, { partition: writer % 2 })])
          await sleep(5)
        }
      }
      const group = freshGroup()
      const received = new Received()
      const consumer = await log.consume({ topic, group, onBatch: received.onBatch })
      const writing = Promise.all(writers.map(write))
      await received.count(100)
      await kill()
      await sleep(300)
      await restart()
      await writing
      await received.count(writers.length * count)
      const seen = received.texts
      expect(seen).to.have.length(writers.length * count)
      for (const writer of writers) {
        const own = seen.filter(value => value.startsWith(`${writer}/`))
        expect(own).to.deep.equal(Array.from({ length: count }, (_, turn) => `${writer}/${turn}`))
      }
      await consumer.commit(0, 1)
      await consumer.stop()
    })

    it('Transactions during a restart of the broker are each stored once', async () => {
      const count = 80
      const holders = await Promise.all([0, 1, 2, 3, 4].map(() => freshHolder()))
      const writing = Promise.all(holders.map(holder => writeAll(holder, count)))
      await eventually(() => holders.every(({ acknowledged }) => acknowledged >= count / 2))
      await kill()
      await restart()
      await writing
      for (const { topic, group } of holders) {
        expect(await textsOf(topic)).to.deep.equal(Array.from({ length: count }, (_, turn) => String(turn)))
        await eventually(async () => (await log.committed(group, topic))[0] === count)
      }
    })

    it('A transaction acknowledged before the broker dies is visible to the next transactor', async () => {
      const holders = await Promise.all([0, 1, 2, 3, 4].map(() => freshHolder()))
      let killed: Promise<void> | undefined
      const onAcknowledged = ({ acknowledged }: Holder): boolean => {
        // The broker is killed immediately, because the markers are written within milliseconds.
        if (acknowledged === 10) killed ??= kill()
        return killed === undefined
      }
      await Promise.all(holders.map(holder => writeWithoutMarkers(holder, onAcknowledged)))
      await killed
      await restart()
      for (const { topic, group, acknowledged } of holders) {
        const transactor = await log.transactor(topic, { topics: [topic], group })
        const texts = await textsOf(topic)
        expect(texts.length).to.be.within(acknowledged, acknowledged + 1)
        expect(texts).to.deep.equal(texts.map((_, turn) => String(turn)))
        await transactor.close()
      }
    })

    interface Holder {
      readonly topic: string
      readonly group: string
      acknowledged: number
    }

    async function freshHolder(): Promise<Holder> {
      return { topic: await freshTopic(log), group: freshGroup(), acknowledged: 0 }
    }

    /** Writes the numbers of the holder, one per transaction, as the owner of a transactor must. */
    async function writeAll(holder: Holder, count: number): Promise<void> {
      const { topic, group } = holder
      const isFinal = (error: unknown) => !(error instanceof LogUnavailable)
      const open = () => retry(() => log.transactor(topic, { topics: [topic], group }), { isFinal })
      let transactor = await open()
      for (let turn = 0; turn < count; turn++) {
        try {
          await transactor.commit([{ topic, ...text(String(turn)) }], { group, topic, partition: 0, offset: turn + 1 })
          holder.acknowledged++
        } catch (error) {
          expect(error instanceof LogUnavailable || error instanceof Fenced, String(error)).to.equal(true)
          // Opens a new transactor, which waits for the pending transaction of the old one, and reads the topic.
          transactor = await open()
          turn = (await textsOf(topic)).length - 1
        }
      }
      await transactor.close()
    }

    /** Writes numbers, one per transaction, while possible, without waiting for transaction markers. */
    async function writeWithoutMarkers(holder: Holder, onAcknowledged: (holder: Holder) => boolean): Promise<void> {
      const { topic, group: consumerGroupId } = holder
      const client = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING, retry: { retries: 2 } })
      const producer = client.producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 })
      await producer.connect()
      try {
        do {
          const transaction = await producer.transaction()
          await transaction.send({ topic, messages: [{ value: String(holder.acknowledged) }] })
          const offset = String(holder.acknowledged + 1)
          const topics = [{ topic, partitions: [{ partition: 0, offset }] }]
          await transaction.sendOffsets({ consumerGroupId, topics })
          await transaction.commit()
          holder.acknowledged++
        } while (onAcknowledged(holder))
      } catch {
        // The commit fails because the broker is down.
      }
      await producer.disconnect()
    }

    /** Returns all values in the topic. */
    async function textsOf(topic: string): Promise<readonly string[]> {
      const received = new Received()
      const follower = await log.follow({ topic, from: 'earliest', onBatch: received.onBatch })
      await follower.caughtUp
      await follower.stop()
      return received.texts
    }
  })

  const deleteRecords = async (topic: string): Promise<void> => {
    const admin = kafkaClient(broker.brokers).admin()
    await admin.connect()
    // kafkajs loads the metadata of the topic with this request, which it needs for the next.
    await admin.fetchTopicOffsets(topic)
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '-1' }] })
    await admin.disconnect()
  }
  describeLog(() => ({ log, reopen: () => open(), deleteRecords }))

  describe('broker that stays available', () => {
    it('A compacted topic is created with the policy of the broker', async () => {
      const name = `t-${randomUUID()}`
      await log.createTopics([{ name, partitions: 1, retentionMs: null, isCompacted: true }])
      const admin = kafkaClient(broker.brokers).admin()
      await admin.connect()
      const { resources } = await admin.describeConfigs({
        resources: [{ type: ConfigResourceTypes.TOPIC, name }],
        includeSynonyms: false,
      })
      await admin.disconnect()
      const settings = new Map(resources[0]?.configEntries.map(entry => [entry.configName, entry.configValue]))
      expect([settings.get('cleanup.policy'), settings.get('segment.bytes')]).to.deep.equal(['compact', '16777216'])
    })

    it("A request that no broker accepts fails without retries, with the broker's error", async () => {
      const begunMs = performance.now()
      const refused = await log
        .createTopics([{ name: 'no topic!', partitions: 1, retentionMs: null }])
        .catch((error: unknown) => error)
      expect(refused).to.be.an('error').and.not.instanceOf(LogUnavailable)
      // With retries, the request would take 30 s.
      expect(performance.now() - begunMs).to.be.lessThan(15_000)
    })

    it('A member stays in its group during a batch longer than the session timeout', async function () {
      if (broker.restart === undefined) this.skip()
      const topic = await freshTopic(log)
      const patient = await open({ sessionTimeoutMs: 4_000 })
      const finish = gate()
      const received = new Received()
      const assignments: (readonly number[])[] = []
      const consumer = await patient.consume({
        topic,
        group: freshGroup(),
        onAssigned: async partitions => void assignments.push(partitions),
        onBatch: async batch => {
          await finish.opened
          await received.onBatch(batch)
        },
      })
      await log.append(topic, numbers(0, 3))
      await sleep(9_000)
      finish.open()
      await received.count(3)
      await consumer.commit(0, 3)
      expect(received.texts).to.deep.equal(['0', '1', '2'])
      expect(assignments).to.deep.equal([[0]])
      await consumer.stop()
    })

    it('Concurrent creations of the same topics resolve when the topics are ready', async () => {
      const logs = await Promise.all([0, 1, 2, 3].map(() => open({ timeoutMs: 20_000 })))
      for (let round = 0; round < 8; round++) {
        const common = Array.from({ length: 8 }, () => `t-${randomUUID()}`)
        // The creations begin a moment apart, and each has one more topic, so that some topics exist already.
        await Promise.all(logs.map((each, index) => startOn(each, [...common, `t-${randomUUID()}`], index * round)))
      }

      async function startOn(each: Log, names: readonly string[], afterMs: number): Promise<void> {
        await sleep(afterMs)
        await each.createTopics(names.map(name => ({ name, partitions: 3, retentionMs: null })))
        const begun = names.map(topic => each.endOffsets(topic))
        for (const ends of await Promise.all(begun)) expect(ends).to.deep.equal(Array.from({ length: 3 }, () => 0))
        const counts = await Promise.all(names.map(topic => each.partitionCount(topic)))
        expect(new Set(counts)).to.deep.equal(new Set([3]))
      }
    })

    it('Followers create no consumer group', async () => {
      const topic = await freshTopic(log, 3)
      const groupsBefore = await groupIds(broker)
      const received = new Received()
      const follow = { topic, onBatch: received.onBatch }
      const followers = await Promise.all([
        log.follow({ ...follow, from: 'earliest' }),
        log.follow({ ...follow, from: 'latest' }),
      ])
      await log.append(
        topic,
        [0, 1, 2].flatMap(partition => numbers(0, 10, partition)),
      )
      await received.count(60)
      expect(await groupIds(broker)).to.deep.equal(groupsBefore)
      await Promise.all(followers.map(follower => follower.stop()))
    })

    it('Followers of several topics do not restart each other', async () => {
      const logged: string[] = []
      const note = (_: object, message: string) => void logged.push(message)
      const ignore = () => undefined
      const following = await open({ logger: { debug: ignore, info: ignore, warn: note, error: note } })
      const topics = [await freshTopic(log), await freshTopic(log)]
      const received = topics.map(() => new Received())
      for (const [index, topic] of topics.entries()) {
        const onBatch = received[index]?.onBatch ?? ignore
        await following.follow({ topic, from: 'earliest', onBatch })
        await log.append(topic, numbers(0, 10))
        await received[index]?.count(10)
      }
      // A failed reader restarts after a second.
      for (let turn = 1; turn <= 6; turn++) {
        await Promise.all(topics.map(topic => log.append(topic, numbers(turn * 10, turn * 10 + 10))))
        await Promise.all(received.map(each => each.count((turn + 1) * 10)))
        await sleep(100)
      }
      expect(logged).to.deep.equal([])
    })

    it('The end offset of a topic is found although its last transactions were aborted', async () => {
      const topic = await freshTopic(log)
      await log.append(topic, [text('before')])
      const client = kafkaClient(broker.brokers)
      const producer = client.producer({ transactionalId: `x-${topic}`, idempotent: true, maxInFlightRequests: 1 })
      await producer.connect()
      for (let turn = 0; turn < 2; turn++) {
        const transaction = await producer.transaction()
        await transaction.send({ topic, messages: [{ value: 'aborted' }] })
        await transaction.abort()
      }
      await producer.disconnect()
      const received = new Received()
      const follower = await log.follow({ topic, from: 'earliest', onBatch: received.onBatch })
      await follower.caughtUp
      expect(received.texts).to.deep.equal(['before'])
      await log.append(topic, [text('after')])
      await received.count(2)
      await follower.stop()
    })

    for (const compression of ['gzip', 'snappy', 'lz4', 'zstd']) {
      it(`Records that the broker compressed with ${compression} are read unchanged`, async () => {
        const topic = await freshTopic(log)
        const client = kafkaClient(broker.brokers)
        const admin = client.admin()
        await admin.connect()
        // The topic setting makes the broker compress the records.
        const configEntries = [{ name: 'compression.type', value: compression }]
        await admin.alterConfigs({
          validateOnly: false,
          resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }],
        })
        await admin.disconnect()
        const values = Array.from({ length: 500 }, (_, index) => `${index} `.repeat(1 + (index % 300)))
        await log.append(
          topic,
          values.map(value => text(value)),
        )
        const received = new Received()
        const follower = await log.follow({ topic, from: 'earliest', onBatch: received.onBatch })
        await follower.caughtUp
        await follower.stop()
        expect(received.texts).to.deep.equal(values)
      })
    }
  })
})
