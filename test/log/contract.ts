import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Fenced, OffsetOutOfRange, type Batch, type Consumer, type Log } from '../../log/log.ts'
import { eventually, freshGroup, freshTopic, gate, numbers, Received, sleep, text } from './fixture.ts'

/** Provides the log under test; called once before the tests. */
export interface LogUnderTest {
  readonly log: Log
  /** Opens the same log as another process would. */
  reopen(): Promise<Log>
  /** Deletes the records of a topic of one partition, as its retention does. */
  deleteRecords(topic: string): Promise<void>
}

const sorted = (values: readonly number[]): number[] => values.toSorted((left, right) => left - right)

const offsetsByPartition = ({ records }: Received, count: number): readonly (readonly number[])[] =>
  Array.from({ length: count }, (_, index) =>
    records.filter(({ partition }) => partition === index).map(({ offset }) => offset),
  )

/** Describes the contract of every log. The tests share one log; each uses its own topics and groups. */
export function describeLog(underTest: () => LogUnderTest): void {
  const log = (): Log => underTest().log
  const stops: (() => Promise<void>)[] = []
  const stopping = <T extends { stop(): Promise<void> }>(stoppable: T): T => {
    stops.push(() => stoppable.stop())
    return stoppable
  }
  afterEach(async () => {
    await Promise.all(stops.splice(0).map(stop => stop()))
  })

  const readAll = async (topic: string, reader = log()): Promise<Received> => {
    const received = new Received()
    const follower = await reader.follow({ topic, from: 'earliest', onBatch: received.onBatch })
    await follower.caughtUp
    await follower.stop()
    return received
  }

  describe('deleted records', () => {
    const hourMs = 3_600_000

    it('Records before an offset are deleted, and later ones and other partitions stay', async () => {
      const topic = await freshTopic(log(), 2)
      for (let i = 0; i < 6; i++)
        await log().append(
          topic,
          [0, 1].map(partition => text(`${partition} ${i}`, { partition })),
        )
      await log().deleteRecords(topic, { partition: 0, offset: 4, beforeMs: Date.now() + hourMs })
      const { texts } = await readAll(topic)
      expect(texts.filter(each => each.startsWith('0'))).to.deep.equal(['0 4', '0 5'])
      expect(texts.filter(each => each.startsWith('1'))).to.have.length(6)
      const early = log().follow({ topic, partitions: [0], from: [0], onBatch: () => undefined })
      expect(await early.catch((error: unknown) => error)).to.be.instanceOf(OffsetOutOfRange)
      await log().append(topic, [text('next', { partition: 0 })])
      expect(await log().endOffsets(topic)).to.deep.equal([7, 6])
      const reopened = await underTest().reopen()
      expect((await readAll(topic, reopened)).texts).to.include.members(['0 4', '0 5', 'next'])
      expect((await readAll(topic, reopened)).texts).not.to.include('0 3')
    })

    it('Records that were appended later than a time are not deleted, and a deletion may be repeated', async () => {
      const topic = await freshTopic(log())
      await log().append(topic, [text('old')])
      await sleep(20)
      const beforeMs = Date.now()
      await sleep(20)
      await log().append(topic, [text('new')])
      for (const offset of [2, 2, 1, 0]) await log().deleteRecords(topic, { partition: 0, offset, beforeMs })
      expect((await readAll(topic)).texts).to.deep.equal(['new'])
    })
  })

  describe('topics', () => {
    it('A topic that exists is not changed by creating it again', async () => {
      const topic = await freshTopic(log(), 3)
      await log().createTopics([{ name: topic, partitions: 5, retentionMs: null }])
      expect(await log().partitionCount(topic)).to.equal(3)
      expect(await log().topicNames()).to.include(topic)
    })

    it('A topic that does not exist is an error', async () => {
      const missing = await log()
        .partitionCount('no-such-topic')
        .then(
          () => false,
          () => true,
        )
      expect(missing).to.equal(true)
    })
  })

  describe('append', () => {
    it('An append returns the positions of its records in their order, and keeps the order in each partition', async () => {
      const topic = await freshTopic(log(), 3)
      const records = Array.from({ length: 90 }, (_, index) => text(String(index), { partition: index % 3 }))
      const positions = await log().append(topic, records)
      const { records: read } = await readAll(topic)
      const byPosition = new Map(read.map(record => [`${record.partition}/${record.offset}`, record.value.toString()]))
      expect(positions.map(({ partition, offset }) => byPosition.get(`${partition}/${offset}`))).to.deep.equal(
        records.map(({ value }) => value.toString()),
      )
      for (const partition of [0, 1, 2]) {
        const values = read
          .filter(record => record.partition === partition)
          .map(({ value }) => Number(value.toString()))
        expect(values).to.deep.equal(sorted(values))
      }
    })

    it('Appends that are not awaited keep their order', async () => {
      const topic = await freshTopic(log())
      const positions = await Promise.all(numbers(0, 200).map(record => log().append(topic, [record])))
      expect(positions.map(([position]) => position?.offset)).to.deep.equal([...positions.keys()])
      expect((await readAll(topic)).texts).to.deep.equal(numbers(0, 200).map(({ value }) => value.toString()))
    })

    it('Records of one key go to one partition, and records without a key to all partitions', async () => {
      const topic = await freshTopic(log(), 4)
      const keyed = await log().append(topic, [text('a', { key: 'mill-7' }), text('b', { key: 'mill-7' })])
      expect(keyed[0]?.partition).to.equal(keyed[1]?.partition)
      const keyless = await Promise.all(Array.from({ length: 8 }, () => log().append(topic, [text('x')])))
      expect(new Set(keyless.map(([position]) => position?.partition)).size).to.equal(4)
    })

    it('A record for a partition that does not exist is rejected', async () => {
      const topic = await freshTopic(log(), 2)
      const refused = await log()
        .append(topic, [text('x', { partition: 2 })])
        .catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(RangeError)
    })

    it('An empty append writes nothing', async () => {
      const topic = await freshTopic(log())
      expect(await log().append(topic, [])).to.deep.equal([])
      expect(await log().endOffsets(topic)).to.deep.equal([0])
    })

    it('Keys, binary values, headers and the append time of a record are stored', async () => {
      const topic = await freshTopic(log())
      const value = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      const headers = { trace: 'äöü ✓', empty: '' }
      const before = Date.now()
      await log().append(topic, [
        { key: 'schlüssel', value, headers },
        { key: null, value: Buffer.alloc(0) },
        { key: '', value: Buffer.from('e') },
      ])
      const after = Date.now()
      const { records } = await readAll(topic)
      expect(records.map(({ key }) => key)).to.deep.equal(['schlüssel', null, ''])
      expect(records[0]?.value.equals(value)).to.equal(true)
      expect(records[0]?.headers).to.deep.equal(headers)
      expect(records[1]?.value.length).to.equal(0)
      expect(records[1]?.headers).to.deep.equal({})
      for (const { timestampMs } of records) expect(timestampMs).to.be.within(before - 5, after + 5)
    })

    it('Records of 1 MB are accepted', async () => {
      const topic = await freshTopic(log())
      const big = [1, 2, 3].map(fill => ({ key: null, value: Buffer.alloc(1 << 20, fill) }))
      await log().append(topic, [...big, text('after')])
      const { records } = await readAll(topic)
      expect(records.map(({ value }) => value.length)).to.deep.equal([1 << 20, 1 << 20, 1 << 20, 5])
      expect(records.map(({ value }) => value[0])).to.deep.equal([1, 2, 3, 'a'.charCodeAt(0)])
    })

    it('An append of 24,000 records is accepted', async () => {
      const topic = await freshTopic(log(), 2)
      const records = [...numbers(0, 12_000, 0), ...numbers(0, 12_000, 1)]
      const positions = await log().append(topic, records)
      expect(positions).to.have.length(24_000)
      expect(await log().endOffsets(topic)).to.deep.equal([12_000, 12_000])
      const { records: read } = await readAll(topic)
      expect(read.filter(({ partition }) => partition === 1).map(({ offset }) => offset)).to.deep.equal([
        ...Array.from({ length: 12_000 }).keys(),
      ])
    })
  })

  describe('another process', () => {
    it('Another process finds the records, topics and committed offsets', async () => {
      const topic = await freshTopic(log(), 2)
      const group = freshGroup()
      await log().append(topic, [...numbers(0, 10, 0), ...numbers(10, 15, 1)])
      const received = new Received()
      const consumer = await log().consume({ topic, group, onBatch: received.onBatch })
      await received.count(15)
      await consumer.commit(1, 3)
      await consumer.stop()
      const again = await underTest().reopen()
      expect(await again.endOffsets(topic)).to.deep.equal([10, 5])
      expect(await again.committed(group, topic)).to.deep.equal([null, 3])
      expect((await readAll(topic, again)).records).to.have.length(15)
      const rest = new Received()
      stopping(await again.consume({ topic, group, onBatch: rest.onBatch }))
      await rest.count(12)
      expect(rest.records.filter(({ partition }) => partition === 1).map(({ offset }) => offset)).to.deep.equal([3, 4])
    })
  })

  describe('consumer group', () => {
    it('A new group starts at the earliest record and continues with new ones', async () => {
      const topic = await freshTopic(log())
      await log().append(topic, numbers(0, 5))
      const received = new Received()
      stopping(await log().consume({ topic, group: freshGroup(), onBatch: received.onBatch }))
      await received.count(5)
      await log().append(topic, numbers(5, 7))
      await received.count(7)
      expect(received.texts).to.deep.equal(['0', '1', '2', '3', '4', '5', '6'])
    })

    it('A consumer gets its first batch after onAssigned has resolved', async () => {
      const topic = await freshTopic(log(), 2)
      await log().append(topic, [...numbers(0, 1, 0), ...numbers(0, 1, 1)])
      const assigned = gate()
      const seen: string[] = []
      const received = new Received()
      stopping(
        await log().consume({
          topic,
          group: freshGroup(),
          onAssigned: async partitions => {
            await assigned.opened
            seen.push(`assigned ${sorted(partitions).join()}`)
          },
          onBatch: async batch => {
            seen.push('batch')
            await received.onBatch(batch)
          },
        }),
      )
      await sleep(150)
      expect(seen).to.deep.equal([])
      assigned.open()
      await received.count(2)
      expect(seen).to.deep.equal(['assigned 0,1', 'batch', 'batch'])
    })

    it('Members of a group share the partitions, and a remaining member continues at the committed offsets', async () => {
      const topic = await freshTopic(log(), 4)
      const group = freshGroup()
      const owned: Set<number>[] = [new Set(), new Set()]
      const received = [new Received(), new Received()]
      const join = (index: number): Promise<Consumer> =>
        log().consume({
          topic,
          group,
          onAssigned: async partitions => partitions.forEach(partition => owned[index]?.add(partition)),
          onRevoked: async partitions => partitions.forEach(partition => owned[index]?.delete(partition)),
          onBatch: async batch => received[index]?.onBatch(batch),
        })
      const first = stopping(await join(0))
      await eventually(() => owned[0]?.size === 4)
      const second = await join(1)
      await eventually(() => owned[0]?.size === 2 && owned[1]?.size === 2)
      expect(sorted(owned.flatMap(set => [...set]))).to.deep.equal([0, 1, 2, 3])

      await log().append(
        topic,
        [0, 1, 2, 3].flatMap(partition => numbers(0, 10, partition)),
      )
      await Promise.all(received.map(each => each.count(20)))
      const [moving] = owned[1] ?? []
      await second.commit(moving ?? -1, 4)
      await second.stop()
      await eventually(() => owned[0]?.size === 4)
      await received[0]?.until(
        () => (received[0]?.records.filter(({ partition }) => partition === moving).length ?? 0) >= 6,
      )
      const taken = received[0]?.records.filter(({ partition }) => partition === moving).map(({ offset }) => offset)
      expect(taken).to.deep.equal([4, 5, 6, 7, 8, 9])
      // The batches show that the partitions that the first member kept were not read twice.
      const kept =
        received[0]?.records.filter(({ partition }) => partition !== moving && !owned[1]?.has(partition)) ?? []
      expect(kept).to.have.length(20)
      await first.stop()
    })

    it('Of concurrent commits, the highest offset is kept', async () => {
      const topic = await freshTopic(log())
      const group = freshGroup()
      await log().append(topic, numbers(0, 9))
      const consumer = stopping(await log().consume({ topic, group, onBatch: async () => {} }))
      await Promise.all([consumer.commit(0, 3), consumer.commit(0, 7), consumer.commit(0, 5)])
      expect(await log().committed(group, topic)).to.deep.equal([7])
      await consumer.commit(0, 6)
      expect(await log().committed(group, topic)).to.deep.equal([7])
      await consumer.commit(0, 8)
      expect(await log().committed(group, topic)).to.deep.equal([8])
    })

    it('A commit of a partition that was revoked is ignored', async () => {
      const topic = await freshTopic(log(), 2)
      const group = freshGroup()
      await log().append(topic, [...numbers(0, 3, 0), ...numbers(0, 3, 1)])
      const lost: number[] = []
      const first = stopping(
        await log().consume({
          topic,
          group,
          onRevoked: async partitions => void lost.push(...partitions),
          onBatch: async () => {},
        }),
      )
      stopping(await log().consume({ topic, group, onBatch: async () => {} }))
      await eventually(() => lost.length > 0)
      await first.commit(0, 2)
      await first.commit(1, 2)
      const [gone = -1] = lost
      await eventually(async () => (await log().committed(group, topic))[1 - gone] === 2)
      expect((await log().committed(group, topic))[gone]).to.equal(null)
    })

    it('A batch whose handler rejects is delivered again with the same records', async () => {
      const topic = await freshTopic(log())
      await log().append(topic, numbers(0, 5))
      const tries: (readonly number[])[] = []
      const received = new Received()
      stopping(
        await log().consume({
          topic,
          group: freshGroup(),
          onBatch: async batch => {
            tries.push(batch.records.map(({ offset }) => offset))
            if (tries.length < 3) throw new Error('not yet')
            await received.onBatch(batch)
          },
        }),
      )
      await received.count(5)
      expect(tries[1]).to.deep.equal(tries[0])
      expect(tries[2]).to.deep.equal(tries[0])
      expect(received.texts).to.deep.equal(['0', '1', '2', '3', '4'])
    })

    it('A partition has one batch in progress, and a long batch does not delay other partitions', async () => {
      const topic = await freshTopic(log(), 2)
      await log().append(topic, numbers(0, 3, 0))
      const finish = gate()
      const received = new Received()
      let running = 0
      let most = 0
      const consumer = stopping(
        await log().consume({
          topic,
          group: freshGroup(),
          onBatch: async (batch: Batch) => {
            if (batch.partition === 0) {
              most = Math.max(most, ++running)
              if (batch.records[0]?.offset === 0) await finish.opened
              running--
            }
            await received.onBatch(batch)
          },
        }),
      )
      await eventually(() => running === 1)
      await log().append(topic, [...numbers(3, 6, 0), ...numbers(0, 3, 1)])
      await received.until(() => received.records.filter(({ partition }) => partition === 1).length === 3)
      await log().append(topic, numbers(3, 6, 1))
      await received.until(() => received.records.filter(({ partition }) => partition === 1).length === 6)
      expect(received.records.some(({ partition }) => partition === 0)).to.equal(false)
      finish.open()
      await received.until(() => received.records.filter(({ partition }) => partition === 0).length === 6)
      expect(most).to.equal(1)
      await consumer.commit(0, 6)
    })

    it('A partition can be paused and resumed', async () => {
      const topic = await freshTopic(log(), 2)
      const received = new Received()
      const consumer = stopping(await log().consume({ topic, group: freshGroup(), onBatch: received.onBatch }))
      await log().append(topic, [...numbers(0, 1, 0), ...numbers(0, 1, 1)])
      await received.count(2)
      consumer.pause(0)
      await log().append(topic, [...numbers(1, 3, 0), ...numbers(1, 3, 1)])
      await received.count(4)
      await sleep(100)
      expect(received.records.slice(2).map(({ partition }) => partition)).to.deep.equal([1, 1])
      consumer.resume(0)
      await received.count(6)
      expect(received.records.filter(({ partition }) => partition === 0).map(({ offset }) => offset)).to.deep.equal([
        0, 1, 2,
      ])
    })

    it('A member finishes and commits its batch in progress before it leaves', async () => {
      const topic = await freshTopic(log())
      const group = freshGroup()
      await log().append(topic, numbers(0, 3))
      const started = gate()
      const finish = gate()
      const consumer: Consumer = await log().consume({
        topic,
        group,
        onBatch: async () => {
          started.open()
          await finish.opened
          await consumer.commit(0, 3)
        },
      })
      await started.opened
      const stopped = consumer.stop()
      finish.open()
      await stopped
      expect(await log().committed(group, topic)).to.deep.equal([3])
    })
  })

  describe('follower', () => {
    it('A follower reads from the earliest record, signals that it has caught up, and continues', async () => {
      const topic = await freshTopic(log(), 3)
      await log().append(
        topic,
        [0, 1, 2].flatMap(partition => numbers(0, 4, partition)),
      )
      const received = new Received()
      const follower = stopping(await log().follow({ topic, from: 'earliest', onBatch: received.onBatch }))
      await follower.caughtUp
      expect(received.records).to.have.length(12)
      await log().append(topic, numbers(4, 5, 1))
      await received.count(13)
      expect(received.records.at(-1)?.offset).to.equal(4)
    })

    it('A follower from the latest offset reads only records appended after its start', async () => {
      const topic = await freshTopic(log(), 2)
      await log().append(topic, [...numbers(0, 3, 0), ...numbers(0, 3, 1)])
      const received = new Received()
      const follower = stopping(await log().follow({ topic, from: 'latest', onBatch: received.onBatch }))
      await log().append(topic, [text('new', { partition: 1 })])
      await follower.caughtUp
      await received.count(1)
      expect(received.texts).to.deep.equal(['new'])
    })

    it('A follower of an empty topic has caught up immediately', async () => {
      const topic = await freshTopic(log(), 2)
      const received = new Received()
      const follower = stopping(await log().follow({ topic, from: 'earliest', onBatch: received.onBatch }))
      await follower.caughtUp
      expect(received.records).to.deep.equal([])
    })

    it('A follower from offsets reads each partition from its offset on, and one without an offset from its start', async () => {
      const topic = await freshTopic(log(), 3)
      await log().append(
        topic,
        [0, 1, 2].flatMap(partition => numbers(0, 4, partition)),
      )
      const received = new Received()
      const follower = stopping(await log().follow({ topic, from: [3, 4], onBatch: received.onBatch }))
      await follower.caughtUp
      expect(offsetsByPartition(received, 3)).to.deep.equal([[3], [], [0, 1, 2, 3]])
      await log().append(topic, [...numbers(4, 5, 0), ...numbers(4, 5, 1)])
      await follower.catchUp()
      expect(offsetsByPartition(received, 3)).to.deep.equal([[3, 4], [4], [0, 1, 2, 3]])
    })

    it('A follower of some partitions reads and catches up with only these', async () => {
      const topic = await freshTopic(log(), 4)
      await log().append(
        topic,
        [0, 1, 2, 3].flatMap(partition => numbers(0, 3, partition)),
      )
      const received = new Received()
      const options = { topic, from: [0, 2, 0, 0], partitions: [1, 3], onBatch: received.onBatch }
      const follower = stopping(await log().follow(options))
      await follower.caughtUp
      expect(offsetsByPartition(received, 4)).to.deep.equal([[], [2], [], [0, 1, 2]])
      await log().append(
        topic,
        [0, 1, 2, 3].flatMap(partition => numbers(3, 5, partition)),
      )
      await follower.catchUp()
      expect(offsetsByPartition(received, 4)).to.deep.equal([[], [2, 3, 4], [], [0, 1, 2, 3, 4]])
    })

    it('A follower of an unknown partition is rejected', async () => {
      const topic = await freshTopic(log(), 2)
      const following = log().follow({ topic, from: 'earliest', partitions: [2], onBatch: () => {} })
      expect(await following.catch((error: unknown) => error)).to.be.instanceOf(RangeError)
    })

    it('A follower from an offset that the log does not contain is rejected', async () => {
      const topic = await freshTopic(log())
      const followFrom = async (offset: number): Promise<void> => {
        const follower = await log().follow({ topic, from: [offset], onBatch: () => {} })
        await follower.stop()
      }
      const errorFrom = (offset: number) => followFrom(offset).catch((error: unknown) => error)
      await log().append(topic, numbers(0, 5))
      await followFrom(0)
      await followFrom(5)
      expect(await errorFrom(6)).to.be.instanceOf(OffsetOutOfRange)
      await underTest().deleteRecords(topic)
      await eventually(async () => (await errorFrom(4)) instanceof OffsetOutOfRange)
      await followFrom(5)
    })

    it('A batch that a follower rejects is delivered again, and every follower reads all records', async () => {
      const topic = await freshTopic(log())
      await log().append(topic, numbers(0, 4))
      let failures = 2
      const received = [new Received(), new Received()]
      const followers = await Promise.all(
        received.map(each =>
          log().follow({
            topic,
            from: 'earliest',
            onBatch: async batch => {
              if (failures-- > 0) throw new Error('not yet')
              await each.onBatch(batch)
            },
          }),
        ),
      )
      followers.forEach(stopping)
      await Promise.all(followers.map(({ caughtUp }) => caughtUp))
      for (const each of received) expect(each.texts).to.deep.equal(['0', '1', '2', '3'])
    })
  })

  describe('transactor', () => {
    it('A transaction appends to several topics and commits the input offset atomically', async () => {
      const [input, first, second] = [await freshTopic(log()), await freshTopic(log(), 2), await freshTopic(log())]
      const group = freshGroup()
      const transactor = await log().transactor(`x-${input}`, { topics: [first, second], group })
      const positions = await transactor.commit(
        [
          { topic: first, ...text('a', { partition: 1 }) },
          { topic: second, ...text('b') },
          { topic: first, ...text('c', { partition: 1 }) },
        ],
        { group, topic: input, partition: 0, offset: 7 },
      )
      expect(positions.map(({ partition, offset }) => [partition, offset])).to.deep.equal([
        [1, 0],
        [0, 0],
        [1, 1],
      ])
      await eventually(async () => (await log().committed(group, input))[0] === 7)
      expect((await readAll(first)).texts).to.deep.equal(['a', 'c'])
      expect((await readAll(second)).texts).to.deep.equal(['b'])
      await transactor.close()
    })

    it('A transactor commits repeatedly, also an offset without records', async () => {
      const topic = await freshTopic(log())
      const group = freshGroup()
      const transactor = await log().transactor(`x-${topic}`, { topics: [topic], group })
      for (let turn = 1; turn <= 5; turn++) {
        await transactor.commit([{ topic, ...text(String(turn)) }], { group, topic, partition: 0, offset: turn })
      }
      await transactor.commit([], { group, topic, partition: 0, offset: 6 })
      await eventually(async () => (await log().committed(group, topic))[0] === 6)
      expect((await readAll(topic)).texts).to.deep.equal(['1', '2', '3', '4', '5'])
      await transactor.close()
      const closed = await transactor
        .commit([{ topic, ...text('6') }], { group, topic, partition: 0, offset: 7 })
        .catch((error: unknown) => error)
      expect(closed).to.be.instanceOf(Fenced)
    })

    it('A transaction without an input offset appends its records atomically, and a newer transactor fences it', async () => {
      const topics = [await freshTopic(log()), await freshTopic(log(), 2)] as const
      const [first, second] = topics
      const older = await log().transactor(`x-${first}`, { topics })
      await older.commit([
        { topic: first, ...text('a') },
        { topic: second, ...text('b', { partition: 1 }) },
      ])
      const failed = older.commit([
        { topic: first, ...text('lost') },
        { topic: second, ...text('bad', { partition: 9 }) },
      ])
      expect(await failed.catch((error: unknown) => error)).to.be.instanceOf(RangeError)
      const newer = await log().transactor(`x-${first}`, { topics })
      const fenced = older.commit([{ topic: first, ...text('zombie') }])
      expect(await fenced.catch((error: unknown) => error)).to.be.instanceOf(Fenced)
      await newer.commit([{ topic: first, ...text('c') }])
      expect((await readAll(first)).texts).to.deep.equal(['a', 'c'])
      expect((await readAll(second)).texts).to.deep.equal(['b'])
      await Promise.all([older.close(), newer.close()])
    })

    it('A transaction larger than a request is atomic and keeps its order', async () => {
      const topic = await freshTopic(log())
      const group = freshGroup()
      const transactor = await log().transactor(`x-${topic}`, { topics: [topic], group })
      const large = Array.from({ length: 120 }, (_, index) => `${index} ${'x'.repeat(900_000)}`)
      const records = large.map(each => ({ topic, ...text(each) }))
      const positions = await transactor.commit(records, { group, topic, partition: 0, offset: 1 })
      const offsets = positions.map(({ offset }) => offset)
      expect(offsets).to.deep.equal(sorted(offsets))
      const { texts } = await readAll(topic)
      expect(texts.map(each => each.split(' ')[0])).to.deep.equal(large.map((_, index) => String(index)))
      await transactor.commit([{ topic, ...text('after') }], { group, topic, partition: 0, offset: 2 })
      expect((await readAll(topic)).texts.at(-1)).to.equal('after')
      await transactor.close()
    })

    it('A failed transaction writes nothing, and the transactor can continue', async () => {
      const topic = await freshTopic(log())
      const group = freshGroup()
      const transactor = await log().transactor(`x-${topic}`, { topics: [topic], group })
      const place = { group, topic, partition: 0 }
      const failed = await transactor
        .commit(
          [
            { topic, ...text('lost') },
            { topic, ...text('bad', { partition: 9 }) },
          ],
          { ...place, offset: 1 },
        )
        .catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(RangeError)
      await transactor.commit([{ topic, ...text('kept') }], { ...place, offset: 2 })
      await eventually(async () => (await log().committed(group, topic))[0] === 2)
      expect((await readAll(topic)).texts).to.deep.equal(['kept'])
      await transactor.close()
    })

    it('A newer transactor of the same id fences the older one', async () => {
      const topic = await freshTopic(log())
      const place = { group: freshGroup(), topic, partition: 0 }
      const older = await log().transactor(`x-${topic}`, { topics: [topic], group: place.group })
      await older.commit([{ topic, ...text('older') }], { ...place, offset: 1 })
      const newer = await log().transactor(`x-${topic}`, { topics: [topic], group: place.group })
      for (const turn of ['at first', 'and ever after']) {
        const fenced = await older
          .commit([{ topic, ...text('zombie') }], { ...place, offset: 2 })
          .catch((error: unknown) => error)
        expect(fenced, turn).to.be.instanceOf(Fenced)
      }
      await newer.commit([{ topic, ...text('newer') }], { ...place, offset: 2 })
      await eventually(async () => (await log().committed(place.group, topic))[0] === 2)
      expect((await readAll(topic)).texts).to.deep.equal(['older', 'newer'])
      await Promise.all([older.close(), newer.close()])
    })

    it('A transactor opens after the pending transaction of an older one has been committed or aborted', async () => {
      const topic = await freshTopic(log())
      const place = { group: freshGroup(), topic, partition: 0 }
      const older = await log().transactor(`x-${topic}`, { topics: [topic], group: place.group })
      const records = Array.from({ length: 20 }, () => ({ topic, key: null, value: Buffer.alloc(500_000, 'x') }))
      const committing = older.commit(records, { ...place, offset: 1 }).then(
        () => 'committed',
        () => 'refused',
      )
      const newer = await log().transactor(`x-${topic}`, { topics: [topic], group: place.group })
      const seen = await log().endOffsets(topic)
      const outcome = await committing
      expect(await log().endOffsets(topic)).to.deep.equal(seen)
      expect((seen[0] ?? 0) >= records.length).to.equal(outcome === 'committed')
      await Promise.all([older.close(), newer.close()])
    })

    it('Groups and followers read the records of transactions, with possible gaps between offsets', async () => {
      const topic = await freshTopic(log())
      const place = { group: freshGroup(), topic, partition: 0 }
      const received = new Received()
      stopping(await log().consume({ topic, group: freshGroup(), onBatch: received.onBatch }))
      const transactor = await log().transactor(`x-${topic}`, { topics: [topic], group: place.group })
      const [first] = await transactor.commit([{ topic, ...text('a') }], { ...place, offset: 1 })
      const [second] = await transactor.commit([{ topic, ...text('b') }], { ...place, offset: 2 })
      await received.count(2)
      expect(received.texts).to.deep.equal(['a', 'b'])
      expect(received.records.map(({ offset }) => offset)).to.deep.equal([first?.offset, second?.offset])
      await transactor.close()
    })
  })

  describe('compacted topic', () => {
    const freshCompacted = async (): Promise<string> => {
      const name = `t-${randomUUID()}`
      await log().createTopics([{ name, partitions: 1, retentionMs: null, isCompacted: true }])
      return name
    }

    it('Readers receive records with a value, and deleted keys as records with an empty value', async () => {
      const topic = await freshCompacted()
      const transactor = await log().transactor(`x-${topic}`, { topics: [topic] })
      await log().append(topic, [text('a', { key: 'appended' }), text('', { key: 'appended' })])
      await transactor.commit([
        { topic, ...text('b', { key: 'transacted' }) },
        { topic, ...text('', { key: 'transacted' }) },
      ])
      await transactor.close()
      const consumed = new Received()
      stopping(await log().consume({ topic, group: freshGroup(), onBatch: consumed.onBatch }))
      await consumed.count(4)
      for (const { records } of [consumed, await readAll(topic)])
        expect(records.map(({ key, value }) => [key, value.toString()])).to.deep.equal([
          ['appended', 'a'],
          ['appended', ''],
          ['transacted', 'b'],
          ['transacted', ''],
        ])
    })

    it('A record without a key is rejected', async () => {
      const topic = await freshCompacted()
      const transactor = await log().transactor(`x-${topic}`, { topics: [topic] })
      const appended = log().append(topic, [text('x')])
      expect(await appended.catch((error: unknown) => error)).to.be.instanceOf(RangeError)
      const committed = transactor.commit([{ topic, ...text('x') }])
      expect(await committed.catch((error: unknown) => error)).to.be.instanceOf(RangeError)
      await transactor.close()
      expect(await log().endOffsets(topic)).to.deep.equal([0])
    })
  })

  it('The log responds to a ping', async () => {
    await log().ping()
  })
}
