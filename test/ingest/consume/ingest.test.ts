import { expect } from 'chai'
import { createAcceptor } from '../../../ingest/accept/acceptor.ts'
import { createIngest, type Ingest } from '../../../ingest/consume/ingest.ts'
import { defaultMachineLimits } from '../../../ingest/consume/machine-bounds.ts'
import { replayDeadLetters } from '../../../ingest/consume/replay-dead-letters.ts'
import { CompactSamples } from '../../../ingest/decode/compact-writer.ts'
import type { Log, NewRecord } from '../../../log/log.ts'
import {
  stateSamplesPartition,
  groups,
  topics,
  type DeadLetter,
  type DeadLetterReason,
  type StateSamplesMessage,
} from '../../../schema/topics.ts'
import { omittedFields } from '../../../schema/sample.ts'
import { eventually } from '../../log/fixture.ts'
import { readCompact } from '../decode/read-samples.ts'
import { MemoryWriter, openPlant, otherCompanyId, silent, type Plant } from './plant.ts'
import { asCompanyRef, asMachineRef, type CompanyRef, type MachineRef } from '../../../schema/refs.ts'

const nowMs = Date.parse('2024-05-06T08:00:00Z')
const lathe = '6f9619ff-8b86-4d01-b42d-00cf4fc96401'
const mill = '6f9619ff-8b86-4d01-b42d-00cf4fc96402'
const later = '6f9619ff-8b86-4d01-b42d-00cf4fc96403'
const limits = { delayMs: 5, firstRetryMs: 1 }

function record(json: unknown, partition = 0): NewRecord {
  return { key: null, partition, value: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)) }
}

function execution(value: string, second = 0) {
  return {
    timestamp: new Date(nowMs - 60_000 + second * 1000).toISOString(),
    key: 'execution',
    type: 'EXECUTION',
    value,
  }
}

function position(value: number, second = 0) {
  return { ...execution(String(value), second), key: 'Xabs', type: 'POSITION' }
}

const compactSample = {
  key: 'Xabs',
  type: 'POSITION',
  subtype: '',
  category: 'SAMPLE',
  value: '7.5',
  ...omittedFields,
} as const

/** Refs and values of the samples of a compact record. */
function valuesOf(record: Buffer): readonly unknown[] {
  return readCompact(record).map(({ machine, value }) => [machine, value])
}

/** A log with its methods as properties. */
function bound(log: Log): Log {
  return {
    kind: log.kind,
    createTopics: specs => log.createTopics(specs),
    topicNames: () => log.topicNames(),
    partitionCount: topic => log.partitionCount(topic),
    append: (topic, records) => log.append(topic, records),
    consume: options => log.consume(options),
    follow: options => log.follow(options),
    transactor: (id, scope) => log.transactor(id, scope),
    endOffsets: topic => log.endOffsets(topic),
    committed: (group, topic) => log.committed(group, topic),
    deleteRecords: (topic, before) => log.deleteRecords(topic, before),
    ping: () => log.ping(),
    whileReachable: call => log.whileReachable(call),
    close: () => log.close(),
  }
}

function whereItWas({ reason, topic, partition, offset, appendedAtMs }: DeadLetter) {
  return { reason, topic, partition, offset, appendedAtMs }
}

describe('ingest', () => {
  let plant: Plant
  let writer: MemoryWriter
  let ingest: Ingest
  let running: Promise<unknown>

  beforeEach(async () => {
    plant = await openPlant(() => nowMs)
    plant.put({ id: lathe, ref: asMachineRef(11) })
    plant.put({ id: mill, ref: asMachineRef(12) })
    writer = new MemoryWriter()
  })
  afterEach(async () => {
    await ingest.drain(5_000)
    await ingest.stop()
    await running
    await plant.close()
  })

  function start(options: Partial<Parameters<typeof createIngest>[0]> = {}): void {
    ingest = createIngest({
      log: plant.log,
      machines: plant.machines,
      samples: writer,
      logger: silent,
      limits,
      ...options,
    })
    running = ingest.run().catch((error: unknown) => error)
  }

  async function idle(): Promise<void> {
    const ends = await plant.log.endOffsets(topics.samples)
    await eventually(async () => {
      const committed = await plant.log.committed(groups.ingest, topics.samples)
      return ends.every((end, partition) => end === (committed[partition] ?? 0))
    })
  }

  it('A heartbeat counts as activity only: it is not stored, has no live value, and the samples around it have', async () => {
    start()
    const heartbeat = (second: number, key = 'connector') => ({
      timestamp: new Date(Date.UTC(2024, 4, 6, 7, 0, second)).toISOString(),
      key,
      type: 'CONNECTION_STATUS',
      value: 'ESTABLISHED',
    })
    const acceptor = createAcceptor({ log: plant.log, machines: plant.machines, now: () => nowMs })
    const samples = [heartbeat(5), position(1, 1), heartbeat(65, 'Connector'), execution('ACTIVE', 2)]
    const withDetails = [{ ...heartbeat(130), message: 'not plain' }, heartbeat(3), heartbeat(3, 'another')]
    const only = { machineId: mill, samples: [heartbeat(200)] }
    for (const body of [{ machineId: lathe, samples }, { machineId: lathe, samples: withDetails }, only])
      await acceptor.accept({ companyRef: asCompanyRef(1), body: Buffer.from(JSON.stringify(body)) })
    await plant.log.append(topics.samples, [record({ machineId: lathe, samples }, 0)])
    await idle()
    const stored = writer.rows.map(({ sample }) => `${sample.key} ${sample.value}`)
    const twice = ['Xabs 1', 'execution ACTIVE']
    expect(stored.toSorted()).to.deep.equal([...twice, ...twice, 'another ESTABLISHED'].toSorted())
    const live = (await plant.values(topics.live)).map(value => value.toString('latin1')).join()
    expect([live.includes('another'), /connector/i.test(live)]).to.deep.equal([true, false])
    const messages = await plant.read<StateSamplesMessage>(topics.stateSamples)
    const seen = messages.flatMap(message => message.seen)
    const secondsOf = (ref: number) =>
      seen
        .flatMap(([machineRef, ...ms]) => (machineRef === ref ? ms : []))
        .map(ms => (ms - Date.UTC(2024, 4, 6, 7)) / 1000)
    expect(secondsOf(11)).to.include.members([5, 65, 130])
    expect(secondsOf(12)).to.deep.equal([200, 200])
    const ofHeartbeats = messages.filter(({ areHeartbeats }) => areHeartbeats)
    const times = ofHeartbeats.flatMap(message => message.seen.map(([, ms]) => (ms - Date.UTC(2024, 4, 6, 7)) / 1000))
    expect(new Set(times), 'heartbeats are marked').to.deep.equal(new Set([3, 5, 65, 130, 200]))
    expect(ofHeartbeats.flatMap(message => message.samples)).to.deep.equal([])
    expect(ingest.stats()).to.include({ accepted: 12, rejected: 0 })
  })

  it('Every sample is stored, and state samples are forwarded to the partition of their machine', async () => {
    start()
    await plant.log.append(topics.samples, [
      record(
        { machineId: lathe, samples: [execution('ACTIVE'), position(1, 1), position(2, 2), execution('READY', 61)] },
        0,
      ),
      record({ machineId: mill, ...execution('ACTIVE') }, 1),
    ])
    await idle()
    expect(
      writer.rows.map(({ companyRef, sample }) => [companyRef, sample.machineRef, sample.value]),
    ).to.have.deep.members([
      [1, 11, 'ACTIVE'],
      [1, 11, '1'],
      [1, 11, '2'],
      [1, 11, 'READY'],
      [1, 12, 'ACTIVE'],
    ])
    const messages = (await plant.read<StateSamplesMessage>(topics.stateSamples)).filter(
      ({ marker }) => marker === undefined,
    )
    const decided = messages.flatMap(({ samples }) => samples.map(({ machineRef, value }) => [machineRef, value]))
    expect(decided).to.have.deep.members([
      [11, 'ACTIVE'],
      [11, 'READY'],
      [12, 'ACTIVE'],
    ])
    const minuteMs = nowMs - 60_000
    expect(messages.flatMap(({ seen }) => seen)).to.have.deep.members([
      [11, minuteMs, minuteMs + 2_000],
      [11, minuteMs + 61_000, minuteMs + 61_000],
      [12, minuteMs, minuteMs],
    ])
    for (const { samples, seen } of messages) {
      const partitions = [...samples.map(({ machineRef }) => machineRef), ...seen.map(([machineRef]) => machineRef)]
      expect(new Set(partitions.map(machineRef => stateSamplesPartition(machineRef, 2)))).to.have.property('size', 1)
    }
    const live = await plant.values(topics.live)
    const values = live.flatMap(value => valuesOf(value))
    expect(values).to.have.deep.members([
      [11, '1'],
      [11, '2'],
      [11, 'READY'],
      [11, 'ACTIVE'],
      [12, 'ACTIVE'],
    ])
    expect(ingest.stats()).to.deep.equal({ accepted: 5, rejected: 0, pending: 0 })
  })

  it('Compact samples of any writer are validated by the same rules as JSON', async () => {
    const compact = new CompactSamples(lathe)
    for (const each of [{}, { key: '' }, { value: 'unavailable' }, { key: 'k'.repeat(300) }, { value: '8.5' }])
      compact.add({ ...compactSample, atUs: (nowMs - 60_000) * 1000, ...each })
    for (const kind of ['embedded', 'kafka'] as const) {
      writer.rows.length = 0
      start({ log: { ...bound(plant.log), kind } })
      await plant.log.append(topics.samples, [{ key: null, partition: 0, value: compact.bytes() }])
      await idle()
      expect(writer.rows.map(({ sample }) => sample.value)).to.deep.equal(['7.5', 'UNAVAILABLE', '8.5'])
      await ingest.stop()
      await running
    }
    const letters = await plant.read<DeadLetter>(topics.deadLetters)
    const refused = [
      ['invalid_sample', `key must be a text of 1 to 16384 characters`],
      ['name_too_long', 'key must be at most 256 characters long'],
    ]
    expect(letters.map(({ reason, message }) => [reason, message])).to.deep.equal([...refused, ...refused])
  })

  it('Live values are passed on without the log if configured, after the state samples are durable', async () => {
    const published: { readonly values: readonly string[]; readonly ends: Promise<readonly number[]> }[] = []
    const before = (await plant.log.endOffsets(topics.stateSamples)).length * 2
    start({
      publishValues: samples => {
        const values = samples.map(({ value }) => value)
        published.push({ values, ends: plant.log.endOffsets(topics.stateSamples) })
      },
    })
    await plant.log.append(topics.samples, [
      record({ machineId: lathe, samples: [execution('ACTIVE'), position(1, 1), { ...position(2, 2), key: '' }] }),
    ])
    await idle()
    expect(published.flatMap(({ values }) => values)).to.deep.equal(['ACTIVE', '1'])
    // Each partition begins with the markers of two partitions.
    const ends = (await published[0]?.ends) ?? []
    expect(ends.reduce((sum, end) => sum + end, 0)).to.equal(before + 1)
    expect(await plant.values(topics.live)).to.deep.equal([])
  })

  it('A record that is accepted as a whole is forwarded to the live topic unchanged', async () => {
    start()
    const acceptor = createAcceptor({ log: plant.log, machines: plant.machines, now: () => nowMs })
    const body = (samples: readonly object[]) => Buffer.from(JSON.stringify({ machineId: lathe, samples }))
    const send = (samples: readonly object[]) => acceptor.accept({ companyRef: asCompanyRef(1), body: body(samples) })
    await send([position(1, 1), position(2, 2)])
    await idle()
    expect(await plant.values(topics.live)).to.deep.equal(await plant.values(topics.samples))
    const condition = { ...position(3, 3), category: 'CONDITION', value: 'FAULT', nativeCode: 'E1', message: 'hot' }
    await send([condition, { ...position(4, 4), timestamp: '1999-01-01T00:00:00Z' }])
    await plant.log.append(topics.samples, [record({ machineId: mill, ...position(5, 5) })])
    await idle()
    expect((await plant.values(topics.live)).flatMap(value => valuesOf(value))).to.have.deep.members([
      [11, '1'],
      [11, '2'],
      [11, 'FAULT'],
      [12, '5'],
    ])
  })

  it('Compact samples are accepted, and those of unknown machines become dead letters', async () => {
    start()
    const acceptor = createAcceptor({ log: plant.log, machines: plant.machines, now: () => nowMs })
    const samples = [execution('ACTIVE'), position(1, 1), { ...position(2, 2), nativeCode: 'é', message: 'm' }]
    const body = Buffer.from(
      JSON.stringify([
        { machineId: lathe, samples },
        { machineId: mill, samples },
      ]),
    )
    await ingest.stop()
    await running
    expect(await acceptor.accept({ companyRef: asCompanyRef(1), body })).to.include({ accepted: 6 })
    const findByRef = (ref: MachineRef) => (ref === 12 ? undefined : plant.machines.findByRef(ref))
    start({ machines: { ...plant.machines, findByRef } })
    await idle()
    expect(writer.rows.map(({ sample }) => [sample.machineRef, sample.value, sample.message])).to.deep.equal([
      [11, 'ACTIVE', ''],
      [11, '1', ''],
      [11, '2', 'm'],
    ])
    const deadLetters = await plant.read<DeadLetter>(topics.deadLetters)
    expect(deadLetters.map(({ reason }) => reason)).to.deep.equal(['unknown_machine'])
    expect(deadLetters[0]?.message).to.equal('no machine has the ref 12')
    const samplesOf: readonly { readonly value: string }[] = JSON.parse(deadLetters[0]?.value ?? '[]')
    expect(samplesOf.map(({ value }) => value)).to.deep.equal(['ACTIVE', '1', '2'])
  })

  it('Rejected samples become dead letters with their reason and source offset', async () => {
    start()
    await plant.log.append(topics.samples, [
      record('{oops'),
      record({ machineId: later, samples: [execution('ACTIVE'), execution('READY', 1)] }),
      record({ machineId: lathe, samples: [execution('ACTIVE'), { ...execution('READY'), key: '' }] }),
    ])
    await idle()
    const deadLetters = await plant.read<DeadLetter>(topics.deadLetters)
    const place = { topic: topics.samples, partition: 0, appendedAtMs: nowMs }
    expect(deadLetters.map(whereItWas)).to.have.deep.members([
      { reason: 'invalid_json', offset: 0, ...place },
      { reason: 'unknown_machine', offset: 1, ...place },
      { reason: 'invalid_sample', offset: 2, ...place },
    ])
    expect(writer.rows).to.have.length(1)
    expect(ingest.stats()).to.include({ accepted: 1, rejected: 4 })
  })

  it('Rejected samples of a large record are packed into one dead letter per reason', async () => {
    start()
    const good = Array.from({ length: 300 }, (_, i) => position(i, i))
    const nameless = good.map(sample => ({ ...sample, key: '' }))
    const early = good.map(sample => ({ ...sample, timestamp: '1999-01-01T00:00:00Z' }))
    const samples = good.flatMap((sample, i) => [sample, nameless[i], early[i]])
    await plant.log.append(topics.samples, [record({ machineId: lathe, samples })])
    await idle()
    const deadLetters = await plant.read<DeadLetter>(topics.deadLetters)
    expect(deadLetters.map(({ reason }) => reason)).to.have.members(['invalid_sample', 'past_timestamp'])
    for (const { value } of deadLetters) expect(JSON.parse(value)).to.have.length(300)
    expect(writer.rows.map(({ sample }) => sample.atUs)).to.have.length(300)
    expect(ingest.stats()).to.include({ accepted: 300, rejected: 600 })
  })

  it('While the store is unavailable, inserts are retried and no offset is committed', async () => {
    writer.failures.push(...Array.from({ length: 5 }, () => new Error('connection refused')))
    start()
    await plant.log.append(topics.samples, [record({ machineId: lathe, ...execution('ACTIVE') })])
    await eventually(() => writer.failures.length < 4)
    expect((await plant.log.committed(groups.ingest, topics.samples))[0]).to.equal(null)
    await idle()
    expect(writer.rows).to.have.length(1)
  })

  it('Consumption pauses while the pending rows exceed the limit', async () => {
    const away = () => Object.assign(new Error('connection refused'), { retryable: true })
    writer.failures.push(...Array.from({ length: 6 }, away))
    start({ limits: { ...limits, rows: 10 } })
    const samples = Array.from({ length: 5 }, (_, i) => position(i, i))
    const records = Array.from({ length: 20 }, () => record({ machineId: lathe, samples }))
    for (const each of records) await plant.log.append(topics.samples, [each])
    await idle()
    expect(writer.rows).to.have.length(100)
  })

  it('Only the rows that the store rejects become dead letters', async () => {
    writer.refuses = ({ sample }) => sample.value === '13' || sample.value === '14'
    start()
    const samples = Array.from({ length: 40 }, (_, i) => position(i, i))
    await plant.log.append(topics.samples, [record({ machineId: lathe, samples })])
    await idle()
    expect(writer.rows.map(({ sample }) => Number(sample.value))).to.have.members(
      samples.map((_, i) => i).filter(i => i !== 13 && i !== 14),
    )
    const deadLetters = await plant.read<DeadLetter>(topics.deadLetters)
    expect(deadLetters.map(({ reason }) => reason)).to.deep.equal(['refused_by_store', 'refused_by_store'])
    const asSent = (i: number) => {
      const { timestamp, ...sample } = position(i, i)
      return { machineId: lathe, ...sample, timestamp: timestamp.replace('Z', '000Z'), category: 'SAMPLE' }
    }
    const values: readonly unknown[] = deadLetters.map(({ value }) => JSON.parse(value))
    expect(values).to.have.deep.members([asSent(13), asSent(14)])
  })

  it('Ingest stops without a commit if the store rejects more rows of an insert than the limit', async () => {
    writer.refuses = () => true
    start({ limits: { ...limits, refused: 3 } })
    const samples = Array.from({ length: 40 }, (_, i) => position(i, i))
    await plant.log.append(topics.samples, [record({ machineId: lathe, samples })])
    expect(await running).to.include({ name: 'TooManyRefused', code: 'too_many_refused' })
    expect((await plant.log.committed(groups.ingest, topics.samples))[0]).to.equal(null)
  })

  it('Ingest stops if the store rejects all rows of several small inserts', async () => {
    writer.refuses = () => true
    start({ limits: { ...limits, refused: 3 } })
    for (const second of [0, 1, 2, 3]) {
      await plant.log.append(topics.samples, [record({ machineId: lathe, ...position(second, second) })])
      if (second < 3) await idle()
    }
    expect(await running).to.include({ code: 'too_many_refused' })
  })

  it('Records whose offset was not committed are read again after a restart', async () => {
    writer.refuses = () => true
    start({ limits: { ...limits, refused: 0 } })
    await plant.log.append(topics.samples, [record({ machineId: lathe, ...execution('ACTIVE') })])
    await running
    writer.refuses = () => false
    start()
    await idle()
    expect(writer.rows.map(({ sample }) => sample.value)).to.deep.equal(['ACTIVE'])
  })

  it('Every partition is marked at start, and again when a setting names a key', async () => {
    start()
    const markers = async () => {
      const messages = await plant.read<StateSamplesMessage>(topics.stateSamples)
      return messages.flatMap(({ marker }) => marker ?? [])
    }
    await eventually(async () => (await markers()).length === 4)
    const before = plant.records.offset
    plant.put({ id: lathe, ref: asMachineRef(11), name: 'renamed' })
    plant.put({ id: lathe, ref: asMachineRef(11), cutSignal: { key: 'Xabs', above: 3 } })
    await eventually(async () => (await markers()).length === 8)
    const each = (recordsOffset: number) =>
      [0, 1].flatMap(samplesPartition => [0, 1].map(() => ({ samplesPartition, recordsOffset })))
    expect(await markers()).to.have.deep.members([...each(before), ...each(before + 2)])
  })

  it('Markers are repeated, because the process that read the first ones may have ended', async () => {
    start({ repeatMarkersMs: 20 })
    const offsets = async () => {
      const messages = await plant.read<StateSamplesMessage>(topics.stateSamples)
      return messages.flatMap(({ marker }) => (marker ? [marker.recordsOffset] : []))
    }
    await eventually(async () => (await offsets()).length >= 12)
    expect(new Set(await offsets())).to.deep.equal(new Set([plant.records.offset]))
  })

  it('The records are read to their end before a partition is marked', async () => {
    const catchUpRecords = async () => plant.put({ id: later, ref: asMachineRef(13) })
    const before = plant.records.offset
    start({ catchUpRecords })
    const markers = async () => {
      const messages = await plant.read<StateSamplesMessage>(topics.stateSamples)
      return messages.flatMap(({ marker }) => marker ?? [])
    }
    await eventually(async () => (await markers()).length === 4)
    for (const { recordsOffset } of await markers()) expect(recordsOffset).to.be.greaterThan(before)
  })

  it('Samples before a marker are inserted first, and samples of the named key after it are forwarded', async () => {
    start()
    writer.failures.push(...Array.from({ length: 3 }, () => new Error('away')))
    await plant.log.append(topics.samples, [record({ machineId: lathe, ...position(1) })])
    await eventually(() => writer.failures.length < 3)
    plant.put({ id: lathe, ref: asMachineRef(11), partCountKey: 'x_abs' })
    const ownMessages = async () => {
      const messages = await plant.read<StateSamplesMessage>(topics.stateSamples)
      return messages.filter(({ marker }) => marker === undefined || marker.samplesPartition === 0)
    }
    await eventually(async () =>
      (await ownMessages()).some(({ marker }) => marker?.recordsOffset === plant.records.offset),
    )
    expect(writer.rows.map(({ sample }) => sample.value)).to.deep.equal(['1'])
    await plant.log.append(topics.samples, [record({ machineId: lathe, ...position(2) })])
    await idle()
    const decided = (await ownMessages()).flatMap(({ samples }) => samples.map(({ value }) => value))
    expect(decided).to.deep.equal(['2'])
  })

  it('Dead letters are replayed once their machine exists, only for the company that sent them', async () => {
    const deadLetter = (machineId: string, companyRef?: CompanyRef): NewRecord =>
      record({
        reason: 'unknown_machine',
        message: '',
        value: JSON.stringify({ machineId, ...execution(String(companyRef)) }),
        topic: topics.samples,
        partition: -1,
        offset: -1,
        appendedAtMs: nowMs,
        ...(companyRef !== undefined && { companyRef }),
      })
    await plant.log.append(topics.deadLetters, [
      deadLetter(later),
      deadLetter(later, asCompanyRef(1)),
      deadLetter(later, asCompanyRef(2)),
      deadLetter(mill.replace('2', '9')),
    ])
    start()
    expect(await replayDeadLetters({ log: plant.log, machines: plant.machines, nowMs })).to.deep.equal({
      replayed: 0,
      passedOver: 4,
    })
    plant.put({ id: later, ref: asMachineRef(13), companyId: otherCompanyId })
    expect(await replayDeadLetters({ log: plant.log, machines: plant.machines, nowMs })).to.deep.equal({
      replayed: 2,
      passedOver: 2,
    })
    await idle()
    expect(writer.rows.map(({ companyRef, sample }) => [companyRef, sample.value])).to.have.deep.members([
      [2, 'undefined'],
      [2, '2'],
    ])
  })

  it('A replay sends only the samples of a dead letter that are accepted now', async () => {
    start()
    const samples = [
      { ...execution('ACTIVE'), timestamp: '1970-01-01T00:00:00Z' },
      { ...position(1, 1), nativeCode: 'é' },
      position(2, 2),
    ]
    await plant.log.append(topics.samples, [record({ machineId: later, samples })])
    await idle()
    expect(writer.rows).to.deep.equal([])
    plant.put({ id: later, ref: asMachineRef(13), companyId: otherCompanyId })
    expect(await replayDeadLetters({ log: plant.log, machines: plant.machines, nowMs })).to.deep.equal({
      replayed: 2,
      passedOver: 1,
    })
    await idle()
    expect(writer.rows.map(({ sample }) => [sample.machineRef, sample.value, sample.nativeCode])).to.deep.equal([
      [13, '1', 'é'],
      [13, '2', ''],
    ])
  })

  it('A replayed sample that is rejected again makes no further dead letter', async () => {
    start({ machineLimits: { ...defaultMachineLimits, keys: 1 } })
    await plant.log.append(topics.samples, [
      record({ machineId: lathe, ...position(1) }),
      record({ machineId: lathe, ...position(1, 1), key: 'other' }),
      record({ machineId: lathe, key: 'faulty' }),
    ])
    await idle()
    const reasons = async () => (await plant.read<DeadLetter>(topics.deadLetters)).map(({ reason }) => reason)
    const before = await reasons()
    expect(before).to.have.members(['too_many_keys', 'invalid_sample'])
    const replay = (reason: DeadLetterReason) =>
      replayDeadLetters({ log: plant.log, machines: plant.machines, nowMs, reason })
    expect(await replay('invalid_sample')).to.deep.equal({ replayed: 0, passedOver: 1 })
    for (let i = 0; i < 3; i++) expect(await replay('too_many_keys')).to.deep.equal({ replayed: 1, passedOver: 0 })
    await idle()
    expect(await reasons()).to.deep.equal(before)
  })

  it('A replay fails without endless retries if the log rejects its records', async () => {
    await plant.log.append(topics.samples, [record({ machineId: later, ...position(1) })])
    start()
    await idle()
    plant.put({ id: later, ref: asMachineRef(13) })
    const failure = new Error('The disk is full')
    const log = { ...bound(plant.log), append: () => Promise.reject(failure) }
    const replayed = replayDeadLetters({ log, machines: plant.machines, nowMs }).catch((error: unknown) => error)
    expect(await replayed).to.equal(failure)
  })
})
