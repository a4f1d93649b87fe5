import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashKey } from '../../../../api/auth/key.ts'
import type { LiveFailure } from '../../../../schema/requests/live.ts'
import { joined, type LiveClient } from '../../../support/live-client.ts'
import { startService, testKey, type TestService } from '../../../support/service.ts'
import { addMachine, post, shapeOf, type TestSample } from '../plant.ts'

interface Told {
  readonly value: string
  readonly startUnixMs: number
}

describe('the timeline channel', function () {
  let service: TestService
  let client: LiveClient
  let machineId: string
  let at: number

  before(async () => {
    const limits = { TAKT_TIMELINE_MAX_SAMPLES: '2000', TAKT_TIMELINE_MAX_DAYS: '2', TAKT_LIVE_TIMELINES: '20' }
    service = await startService({ env: { TAKT_LIVE_ENGINE: 'ws', ...limits } })
  })
  after(() => service?.stop())
  beforeEach(async () => {
    machineId = await addMachine(service)
    at = Date.now() - 120_000
    client = await joined('socket.io 4', service.url, 'timeline', testKey)
  })
  afterEach(() => client?.close())

  const load = (offset: number, value: number, rest: Partial<TestSample> = {}): TestSample => ({
    at: at + offset,
    key: 'Load',
    type: 'LOAD',
    value,
    ...rest,
  })
  const isoAt = (offset: number) => new Date(at + offset).toISOString()
  /** Samples under a tag in all received updates. */
  const under = (tag: string): [number, string][] =>
    client
      .of('update')
      .flatMap(({ data }): Told[] => data[tag]?.data ?? [])
      .map(({ value, startUnixMs }) => [startUnixMs - at, value])
  const ask = (request: object) => client.ask?.('get_metrics', { machineId, requestId: 7, ...request })

  it('A timeline request returns the samples of its range under the tag of each descriptor', async () => {
    await post(service, machineId, [
      load(0, 1),
      load(5, 2, { subtype: 'ACTUAL' }),
      load(10, 3, { key: 'Load2' }),
      { at: at + 20, key: 'mode', type: 'MODE', value: 'AUTO' },
      load(1000, 9),
    ])
    const metrics = [
      { key: 'load', tag: 'one' },
      { type: ['LOAD', 'MODE'], tag: '__proto__' },
      { key: ['Load', 'LOAD2'], subtype: ['ACTUAL'] },
      { key: 'nothing' },
    ]
    const range = { startAt: isoAt(0), endAt: isoAt(1000) }
    expect(await ask({ ...range, metrics })).to.deep.equal({ requestId: 7 })
    expect(client.of('update')).to.have.length(1)
    const { data } = client.of('update')[0]
    expect(data).to.have.all.keys('one', '__proto__', '2', 'nothing')
    expect(data['one']).to.deep.equal({
      machineId,
      ...range,
      requestId: 7,
      metrics: metrics[0],
      data: [
        { key: 'Load', value: '1', type: 'LOAD', subtype: '', startUnixMs: at },
        { key: 'Load', value: '2', type: 'LOAD', subtype: 'ACTUAL', startUnixMs: at + 5 },
      ],
    })
    const values = (tag: string) => Object.entries<{ data: Told[] }>(data).find(([name]) => name === tag)?.[1].data
    expect(values('__proto__')?.map(({ value }) => value)).to.deep.equal(['1', '2', '3', 'AUTO'])
    expect(values('2')?.map(({ value }) => value)).to.deep.equal(['2'])
    expect(values('nothing')).to.deep.equal([])
  })

  it('New samples follow the timeline response, each once, while samples arrive continuously', async () => {
    const sending = { count: 0, isOver: false }
    const sent = (async () => {
      for (; !sending.isOver; sending.count++) await post(service, machineId, [load(sending.count, sending.count)])
    })()
    await sleep(50)
    await ask({ startAt: isoAt(0), metrics: [{ key: 'Load', tag: 'load' }] })
    const answered = under('load').length
    await client.until(() => sending.count > answered + 15, 30_000)
    sending.isOver = true
    await sent
    await client.until(() => under('load').length >= sending.count)
    expect(under('load')).to.deep.equal(Array.from({ length: sending.count }, (_, i) => [i, String(i)]))
    expect(client.of('update').length).to.be.above(1)
    expect(client.of('update').every(({ data }) => data['load'].requestId === 7)).to.equal(true)
  })

  it('No sample of a timeline request is sent after its range, after leaving, or after its replacement', async () => {
    await ask({ startAt: isoAt(0), endAt: new Date(Date.now() + 60_000).toISOString(), metrics: [{ key: 'a' }] })
    await ask({ startAt: isoAt(0), metrics: [{ key: 'Load' }] })
    const soon = Date.now() + 120_000 - at
    await post(service, machineId, [{ at, key: 'a', type: 'A', value: 1 }, load(0, 1)])
    await client.until(() => under('Load').length === 1)
    await ask({ requestId: 8, startAt: isoAt(0), endAt: isoAt(soon), metrics: [{ key: 'Load', tag: 'ends' }] })
    await post(service, machineId, [load(soon, 2)])
    await client.until(() => under('Load').length === 2)
    await client.ask?.('leave')
    await post(service, machineId, [load(soon - 1, 3)])
    await service.settled()
    expect(under('a')).to.deep.equal([])
    expect(under('Load')).to.deep.equal([
      [0, '1'],
      [soon, '2'],
    ])
    expect(under('ends')).to.deep.equal([[0, '1']])
  })

  it('The timeline has status, inCycle, MasterExecution and partCount, for the past and live', async () => {
    await service.call('PUT', `/machines/${machineId}`, { name: 'Maker', partCounter: 'program' })
    const execution = (offset: number, value: string) => ({ at: at + offset, key: 'exec', type: 'EXECUTION', value })
    await post(service, machineId, [execution(0, 'ACTIVE'), execution(1000, 'PROGRAM_COMPLETED')])
    await service.settled()
    const keys = ['status', 'inCycle', 'MasterExecution', 'partCount']
    await ask({ startAt: isoAt(0), metrics: keys.map(key => ({ key, tag: key })) })
    expect(under('status')).to.deep.equal([
      [0, 'ACTIVE'],
      [1000, 'INACTIVE'],
    ])
    expect(under('inCycle')).to.deep.equal([
      [0, 'true'],
      [1000, 'false'],
    ])
    expect(under('MasterExecution')).to.deep.equal([
      [0, 'ACTIVE'],
      [1000, 'STOPPED'],
    ])
    expect(under('partCount')).to.deep.equal([[1000, '1']])
    await post(service, machineId, [execution(2000, 'ACTIVE'), execution(3000, 'PROGRAM_COMPLETED')])
    await client.until(() => under('partCount').length === 2 && under('status').length === 4)
    expect(under('status').slice(2)).to.deep.equal([
      [2000, 'ACTIVE'],
      [3000, 'INACTIVE'],
    ])
    expect(under('partCount').slice(1)).to.deep.equal([[3000, '2']])
  })

  it('An invalid timeline request is rejected with its cause', async () => {
    const range = { startAt: isoAt(0), endAt: isoAt(1000) }
    const metrics = [{ key: 'Load' }]
    const bad: [object, RegExp][] = [
      [{ ...range, metrics: [] }, /metrics/],
      [{ ...range, metrics: [{ tag: 'x' }] }, /key or a type/],
      [{ ...range, metrics: [{ key: 'a' }, { key: 'a' }] }, /tag/],
      [{ startAt: isoAt(10), endAt: isoAt(0), metrics }, /before/],
      [{ startAt: isoAt(-3 * 86_400_000), metrics }, /2 days/],
      [{ startAt: 'yesterday', metrics }, /startAt/],
      [{ ...range, metrics: [{ key: {} }] }, /key/],
    ]
    for (const [request, message] of bad) {
      const { code, message: said } = shapeOf<LiveFailure>(await ask(request))
      expect(code).to.equal('invalid_request')
      expect(said).to.match(message)
    }
    expect(await ask({ ...range, machineId: randomUUID(), metrics })).to.include({
      code: 'unknown_machine',
      requestId: 7,
    })
    await post(
      service,
      machineId,
      Array.from({ length: 2001 }, (_, i) => load(i / 10, i)),
    )
    expect(await ask({ ...range, metrics })).to.include({ code: 'invalid_request', requestId: 7 })
    await client.until(() => client.of('channel_error_timeline').length === bad.length + 2)
    expect(client.of('update')).to.deep.equal([])
  })

  it('The number of open timeline requests is limited, with a fair share for each company', async () => {
    const otherKey = `a key of another company ${randomUUID()}`
    await service.commands.submit(
      'company.create',
      { companyName: 'Other', adminKeyHash: hashKey(otherKey) },
      { companyId: null },
    )
    const outcomes: unknown[] = []
    const metrics = [{ key: 'Load', tag: 'load' }]
    for (let requestId = 0; requestId < 12; requestId++)
      outcomes.push(await client.ask?.('get_metrics', { machineId, requestId, startAt: isoAt(0), metrics }))
    const refused = outcomes.filter(outcome => JSON.stringify(outcome).includes('rate_limited'))
    expect(refused, JSON.stringify(outcomes)).to.have.lengthOf(2)
  })
})
