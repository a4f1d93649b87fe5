import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Health } from '../../schema/requests/health.ts'
import { topics } from '../../schema/topics.ts'
import type { ChildService } from '../support/child-service.ts'
import { type Broker, kafkaClient } from '../support/kafka.ts'
import { readAs } from '../support/read-as.ts'
import { produceRaw } from '../support/produce-raw.ts'
import { compressWith, codecs, initializeZstd, type RawRecord, recordBatch, varint } from '../support/record-batch.ts'
import { testKey } from '../support/service.ts'
import { useProcesses } from './processes.ts'

const [start, end] = ['2026-11-25T10:00:00.000Z', '2026-11-25T11:00:00.000Z']
const compressing = codecs.filter(codec => codec !== 'none')

describe('records of other producers in samples.v1', function () {
  before(initializeZstd)
  const { broker, start: startProcess } = useProcesses(2)
  let service: ChildService
  let parts = 0

  beforeEach(async () => {
    service = await startProcess()
  })

  it('Records without samples do not stop ingest: the samples around them are in the report, and each such record is counted', async () => {
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    const odd: readonly RawRecord[] = [
      { value: sampleOf(machineId, start, 'ACTIVE'), headers: [['trace', null]] },
      { value: null, key: Buffer.from('tombstone') },
      { value: null },
      { value: part(machineId), headers: manyHeaders(60_000) },
      {
        value: part(machineId),
        headers: [
          ['a', Buffer.from('1')],
          ['a', null],
          ['', Buffer.alloc(0)],
        ],
      },
      { value: Buffer.alloc(0) },
      { value: Buffer.from([0xff, 0xfe]) },
      { value: part(machineId) },
    ]
    await produceRaw(brokerOf(broker()), { topic: topics.samples }, [recordBatch(odd, { codec: 'gzip' })])
    for (const codec of compressing) {
      const payload = compressWith(codec, bombOf(128 << 20))
      const bomb = recordBatch([{}], { codec, payload })
      await produceRaw(brokerOf(broker()), { topic: topics.samples }, [
        bomb,
        recordBatch([{ value: part(machineId) }], { codec }),
      ])
    }
    await transactions(broker(), part(machineId))
    await produceRaw(brokerOf(broker()), { topic: topics.samples }, [
      recordBatch([{ value: sampleOf(machineId, end, 'READY') }]),
    ])
    await service.settled()

    const report = await service.call('POST', '/reports/production', {
      start,
      end,
      data: [{ metric: 'timeInCycle' }, { metric: 'totalParts' }],
      filter: { machine: [machineId] },
    })
    expect(report.body).to.have.nested.property('aggregate.timeInCycle', 3_600_000)
    // The first value of a counter is its baseline.
    expect(report.body).to.have.nested.property('aggregate.totalParts', parts - 1)

    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).to.match(/takt_records_skipped_total 2\b/)
    expect(metrics).to.match(/takt_samples_rejected_total\{reason="undecodable_record"\} 4\b/)
    expect(metrics).to.match(/takt_samples_rejected_total\{reason="invalid_json"\} 2\b/)
    const letters = await service.call('GET', '/dead-letters')
    const { reasons } = readAs<{ readonly reasons: readonly { readonly reason: string }[] }>(letters.body)
    expect(reasons.map(({ reason }) => reason)).to.have.members(['undecodable_record', 'invalid_json'])
    expect(await healthOf(service)).to.deep.include({ status: 'ok', problems: [] })
  })

  it("A record of Takt's own topics that cannot be read is a problem of the process", async () => {
    for (const topic of [topics.records, topics.live, topics.commands, topics.stateSamples])
      await produceRaw(brokerOf(broker()), { topic }, [recordBatch([{ value: null, key: Buffer.from('k') }])])
    for (let attempt = 0; attempt < 600 && (await healthOf(service)).problems.length < 4; attempt++) await sleep(100)
    const { problems } = await healthOf(service)
    expect(problems.map(({ code, topic }) => [code, topic])).to.have.deep.members(
      [topics.records, topics.live, topics.commands, topics.stateSamples].map(topic => ['damaged_record', topic]),
    )
  })

  it("A record of Takt's own topics that is not a message of its topic is a problem of the process", async () => {
    const skipping = [topics.live, topics.commands, topics.deadLetters]
    for (const topic of skipping)
      await produceRaw(brokerOf(broker()), { topic }, [recordBatch([{ value: Buffer.from('{"some":"record"}') }])])
    const reported = async (): Promise<readonly (string | undefined)[]> => {
      await service.call('GET', '/dead-letters')
      return (await healthOf(service)).problems
        .filter(({ code, message }) => code === 'damaged_record' && message.includes('it is not a'))
        .map(({ topic }) => topic)
    }
    for (let attempt = 0; attempt < 600 && (await reported()).length < skipping.length; attempt++) await sleep(100)
    expect(await reported()).to.have.members(skipping)
    await service.call('PUT', `/machines/${randomUUID()}`, { name: 'Lathe' })
    await service.settled()
  })

  function part(machineId: string): Buffer {
    const timestamp = new Date(Date.parse(start) + 1_000 * (parts + 1)).toISOString()
    return Buffer.from(JSON.stringify({ machineId, timestamp, key: 'parts', type: 'PART_COUNT', value: parts++ }))
  }
})

function sampleOf(machineId: string, timestamp: string, value: string): Buffer {
  return Buffer.from(JSON.stringify({ machineId, timestamp, key: 'execution', type: 'EXECUTION', value }))
}

function manyHeaders(count: number): readonly (readonly [string, Buffer])[] {
  return Array.from({ length: count }, (_, index) => [`h${index}`, Buffer.from('v')] as const)
}

/** Returns a record whose value decompresses to the given number of zeros. */
function bombOf(bytes: number): Buffer {
  const body = Buffer.concat([Buffer.from([0, 0, 0, 1]), varint(bytes)])
  return Buffer.concat([varint(body.length + bytes + 1), body, Buffer.alloc(bytes + 1)])
}

function brokerOf({ brokers }: Broker): string {
  return brokers[0] ?? ''
}

async function healthOf(service: ChildService): Promise<Health> {
  return JSON.parse(
    await (await fetch(`${service.url}/health`, { headers: { authorization: `Bearer ${testKey}` } })).text(),
  )
}

/** One aborted and one committed transaction, each with the value. */
async function transactions({ brokers }: Broker, value: Buffer): Promise<void> {
  const kafka = kafkaClient(brokers)
  const producer = kafka.producer({ transactionalId: `x-${randomUUID()}`, idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  const aborted = await producer.transaction()
  await aborted.send({ topic: topics.samples, messages: [{ partition: 0, value: Buffer.from('aborted') }] })
  await aborted.abort()
  const committed = await producer.transaction()
  await committed.send({ topic: topics.samples, messages: [{ partition: 0, value }] })
  await committed.commit()
  await producer.disconnect()
}
