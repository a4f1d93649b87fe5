/* oxlint-disable oxc/no-map-spread, eslint/no-unused-vars -- records without what a client doesn't tell */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Producer } from 'kafkajs'
import { openKafkaLog } from '../../log/kafka/kafka-log.ts'
import { CompactSamples } from '../../ingest/decode/compact-writer.ts'
import { omittedFields } from '../../schema/sample.ts'
import { topics, type WireSample } from '../../schema/topics.ts'
import { deferred } from '../../shared/async/deferred.ts'
import type { ChildService } from '../support/child-service.ts'
import { type Broker, kafkaClient } from '../support/kafka.ts'
import { outageProxy } from '../support/outage-proxy.ts'
import { testKey } from '../support/service.ts'
import { startPosting } from './posting.ts'
import { compareAll, putRecords, recentPlant } from './recent-plant.ts'
import { useProcesses } from './processes.ts'

describe('roles in separate processes', function () {
  const { broker, clickhouse, start } = useProcesses(3)

  it('Reports of separate processes are correct when a processor is killed and samples arrive by Kafka in any form', async () => {
    const recent = recentPlant({ seed: 31, machines: 6, hours: 4 })
    const { samples } = recent.plant
    const [ingest, first, second, api] = await Promise.all(
      ['ingest', 'process', 'process', 'api'].map(roles => start(roles)),
    )
    if (!ingest || !first || !second || !api) throw new Error('A process is missing')
    await expectRoutes(ingest, first)
    await putRecords(api.call, recent)

    const third = Math.floor(samples.length / 3)
    const posting = startPosting({
      samples: samples.slice(third),
      size: 30,
      senders: 4,
      // Samples can be sent by HTTP and by Kafka.
      call: () => (Math.random() < 0.5 ? ingest : api).call,
    })
    const produced = produceInAllForms(broker(), samples.slice(0, third))
    while (posting.share() < 0.4) await sleep(5)
    await first.kill()
    await Promise.all([posting.done, produced])
    const compact = compactRecord(samples)
    await withProducer(broker().brokers, producer => producer.send({ topic: topics.samples, messages: [compact] }))
    await api.settled()
    await compareAll(api.call, recent)
    const metrics = await fetch(`${ingest.url}/metrics`, { headers: { authorization: `Bearer ${testKey}` } })
    expect(await metrics.text()).to.match(/takt_samples_rejected_total\{reason="invalid_json"\} 1\b/)

    // The remaining processor is stopped in order, and another one takes over.
    const next = start('process')
    expect((await second.stop()).code).to.equal(0)
    await next
    await startPosting({ samples: samples.slice(-200), size: 50, senders: 2, call: () => ingest.call }).done
    await api.settled()
    await compareAll(api.call, recent)
  })

  it('Concurrent starts in two processes create one job operation, and runs of a machine do not overlap', async () => {
    const [, first, second] = await Promise.all(['ingest,process', 'api', 'api'].map(roles => start(roles)))
    if (!first || !second) throw new Error('A process is missing')
    const machine = await first.call('PUT', `/machines/${randomUUID()}`, { name: 'Shared', erpMachineId: 'SHARED' })
    expect(machine.status).to.equal(200)
    const startAts = Array.from({ length: 20 }, (_, index) => new Date(Date.UTC(2026, 2, 2, 6, index)).toISOString())
    const told = await Promise.all(
      startAts.flatMap((startAt, index) =>
        [first, second].map(({ call }) => {
          const run = { erpJobOperationRunId: `shared-${index}`, erpMachineId: 'SHARED', jobName: 'Shared', startAt }
          return call('POST', '/erp/jobdispatch/start', run)
        }),
      ),
    )
    expect(told).to.deep.equal(told.map(() => ({ status: 200, body: null })))
    for (const { call } of [first, second]) {
      expect((await call('GET', '/job-operations?jobName=Shared')).body).to.have.lengthOf(1)
      for (const [index, startAt] of startAts.entries()) {
        const { body } = await call('GET', `/erp/jobdispatch/shared-${index}`)
        expect(body).to.include({ startAt, endAt: startAts[index + 1] ?? null })
      }
    }
    for (let index = 0; index < 10; index++) {
      const run = { erpJobOperationRunId: `next-${index}`, erpMachineId: 'SHARED', jobName: 'Shared' }
      await first.call('POST', '/erp/jobdispatch/start', run)
      expect(
        (await second.call('GET', `/erp/jobdispatch/next-${index}`)).status,
        'status of the run in the other process',
      ).to.equal(200)
    }
  })

  it('A change is answered once it is in log and store, also if its registrar is killed between them', async () => {
    const proxy = await outageProxy(clickhouse())
    try {
      const proxied = { CLICKHOUSE_URL: `http://127.0.0.1:${proxy.port}` }
      const [first, api] = await Promise.all([start('ingest,process', proxied), start('api')])
      const put = (name: string) => api.call('PUT', `/machines/${randomUUID()}`, { name })
      expect((await put('Before')).status).to.equal(200)
      proxy.cut('silent')
      let isAnswered = false
      const answer = put('Between').finally(() => (isAnswered = true))
      await untilInRecords(broker(), '"Between"')
      await sleep(500)
      expect(isAnswered).to.equal(false)
      await first.kill()
      await start('ingest,process')
      expect((await answer).status).to.equal(200)
      const { body } = await api.call('GET', '/audit?kind=machine&limit=100')
      expect(JSON.stringify(body).match(/"name":"Between"/g)).to.have.lengthOf(1)
      const stored = await api.call('POST', '/graphql', { query: '{ machines { name } }' })
      expect(JSON.stringify(stored.body).match(/"name":"Between"/g)).to.have.lengthOf(1)
    } finally {
      proxy.close()
    }
  })
})

/** Resolves when the topic of records contains a text. */
async function untilInRecords({ brokers }: Broker, text: string): Promise<void> {
  const log = await openKafkaLog({ brokers, clientId: `reader-${randomUUID()}` })
  const found = deferred<void>()
  const follower = await log.follow({
    topic: topics.records,
    from: 'earliest',
    onBatch: ({ records }) => {
      if (records.some(({ value }) => value.includes(text))) found.resolve()
    },
  })
  await found.promise
  await follower.stop()
  await log.close()
}

/**
 * Asserts that only a process with the api role serves all routes, that one with the ingest role accepts samples, and
 * that every process has health routes.
 */
async function expectRoutes(ingest: ChildService, processor: ChildService): Promise<void> {
  const statuses = async ({ call }: ChildService) =>
    Promise.all([
      call('GET', '/health').then(({ status }) => status),
      call('POST', '/ingest/samples', []).then(({ status }) => status),
      call('GET', '/machines').then(({ status }) => status),
    ])
  expect(await statuses(ingest)).to.deep.equal([200, 202, 404])
  expect(await statuses(processor)).to.deep.equal([200, 404, 404])
}

/** A damaged compact record, of which no sample must be accepted. It would end the machine's cycle. */
function compactRecord(samples: readonly WireSample[]): { readonly value: Buffer } {
  const last = samples.findLast(({ type }) => type === 'EXECUTION')
  if (!last) throw new Error('The plant has no EXECUTION sample')
  const compact = new CompactSamples(last.machineId)
  compact.add({
    atUs: Date.parse(last.timestamp) * 1000,
    key: last.key,
    type: last.type,
    subtype: '',
    category: 'EVENT',
    value: last.value === 'READY' ? 'ACTIVE' : 'READY',
    ...omittedFields,
  })
  return { value: compact.bytes().subarray(0, -1) }
}

/**
 * Sends records as producers of all kinds do: without a key, with any key, to any partition; single samples and
 * batches.
 */
async function produceInAllForms({ brokers }: Broker, samples: readonly WireSample[]): Promise<void> {
  await withProducer(brokers, async producer => {
    for (let first = 0; first < samples.length; first += 40) {
      const some = samples.slice(first, first + 40)
      const values = (first / 40) % 2 === 0 ? some.map(sample => JSON.stringify(sample)) : batchesOf(some)
      const messages = values.map((value, index) => ({ value, ...addresses[(first + index) % addresses.length] }))
      await producer.send({ topic: topics.samples, messages })
    }
  })
}

const addresses = [{}, { key: 'any' }, { partition: 2 }, { key: randomUUID(), partition: 0 }, { partition: 1 }]

/** Batches of a gateway, one for each machine. */
function batchesOf(samples: readonly WireSample[]): readonly string[] {
  const machines = [...new Set(samples.map(({ machineId }) => machineId))]
  return machines.map(machineId =>
    JSON.stringify({
      machineId,
      samples: samples.filter(sample => sample.machineId === machineId).map(({ machineId: _, ...sample }) => sample),
    }),
  )
}

async function withProducer(brokers: readonly string[], use: (producer: Producer) => Promise<unknown>): Promise<void> {
  const kafka = kafkaClient(brokers)
  const producer = kafka.producer()
  await producer.connect()
  try {
    await use(producer)
  } finally {
    await producer.disconnect()
  }
}
