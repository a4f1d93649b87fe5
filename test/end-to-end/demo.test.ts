import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, expect } from 'chai'
import { faultRule } from '../../demo/simulate/demo-records.ts'
import { createPlant } from '../../demo/simulate/plant.ts'
import { pino } from 'pino'
import { demoSettings, readConfig } from '../../service/config.ts'
import { startDemo } from '../../demo/demo.ts'
import { progressOf } from '../../service/demo.ts'
import { readProgress } from '../../demo/progress-file.ts'
import type { RuleTrial } from '../../schema/requests/rule-trial.ts'
import type { WireBatch } from '../../schema/topics.ts'
import { topics } from '../../schema/topics.ts'
import { startService, type TestService } from '../support/service.ts'
import { hourMs } from '../../shared/time/units.ts'

/** The history of three hours contains an inspection of parts, which the plant makes before 14:00. */
const startMs = Date.parse('2026-03-04T14:20:00Z')
/** A seed whose history contains a long fault. */
const seed = 13
const gapMs = 20 * 60_000
const config = readConfig({
  TAKT_DEMO_MACHINES: '4',
  TAKT_DEMO_HOURS: '3',
  TAKT_DEMO_SEED: String(seed),
  TAKT_DATA_DIR: mkdtempSync(join(tmpdir(), 'takt-demo-')),
})
const plant = createPlant({ seed, machines: 4, isDaily: true })
const metrics = ['oee', 'availability', 'performance', 'quality', 'totalParts', 'rejectedParts', 'categorizedDowntime']

interface Answer {
  readonly aggregate: Readonly<Record<string, number | null>>
  readonly items: readonly { readonly aggregate: Readonly<Record<string, number | null>> }[]
}

describe('simulated plant', function () {
  let service: TestService
  const sent = new Map<string, string[]>()
  /** Lines that the plant has logged. */
  const warnings: string[] = []

  before(async () => {
    service = await startService({ nowMs: startMs })
    await runOnce()
  })
  after(async () => {
    await service?.stop()
    rmSync(config.TAKT_DATA_DIR, { recursive: true, force: true })
  })

  /** Runs the simulated plant until it reaches the current time, and stops it. */
  async function runOnce(): Promise<readonly number[]> {
    const shares: number[] = []
    const demo = startDemo({
      ...service,
      settings: demoSettings(config),
      logger: pino({ level: 'warn' }, { write: line => void warnings.push(line) }),
      clock: () => nowMs,
      onHistory: history => shares.push(progressOf(history, nowMs)),
      onFailure: error => assert.fail(String(error)),
    })
    await demo.live
    await demo.stop()
    await service.settled()
    return shares
  }
  let nowMs = startMs

  async function report(groupBy: string): Promise<Answer> {
    const body = { startDay: '2026-03-04', endDay: '2026-03-04', data: metrics.map(metric => ({ metric })) }
    const answer = await service.call('POST', '/reports/production', { ...body, groupBy: [{ group: groupBy }] })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service answers
    return answer.body as Answer
  }

  /** Returns all samples in the log, by machine. */
  async function samplesInLog(): Promise<ReadonlyMap<string, readonly string[]>> {
    sent.clear()
    const follower = await service.log.follow({
      topic: topics.samples,
      from: 'earliest',
      onBatch: batch => {
        for (const { value } of batch.records) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the plant sends
          const { machineId, samples } = JSON.parse(value.toString()) as WireBatch
          sent.set(machineId, [...(sent.get(machineId) ?? []), ...samples.map(sample => JSON.stringify(sample))])
        }
      },
    })
    await follower.caughtUp
    await follower.stop()
    return sent
  }

  it('The simulated plant creates named machines with a status, and names the company', async () => {
    const { body } = await service.call('GET', '/machines')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service answers
    const machines = body as readonly { readonly name: string; readonly status: string }[]
    expect(machines.map(({ name }) => name)).to.have.members(plant.machines.map(({ name }) => name))
    for (const { status } of machines) assert.include(['ACTIVE', 'INACTIVE', 'FAULT', 'UNAVAILABLE'], status)
    expect(machines.some(({ status }) => status === 'ACTIVE')).to.equal(true)
    expect(service.records.company(service.companyId)?.settings.companyName).to.equal('Demo plant')
  })

  it('The service rejects no command of the simulated plant', () => expect(warnings).to.deep.equal([]))

  it('A report of today contains a number for every metric of the simulated plant', async () => {
    const { aggregate, items } = await report('machine')
    expect(items).to.have.length(4)
    for (const metric of metrics) assert.isNumber(aggregate[metric], metric)
    expect(aggregate['oee']).to.be.within(0.1, 1)
    expect(aggregate['quality']).to.be.within(0.5, 0.9999)
    expect(aggregate['totalParts']).to.be.above(10)
    expect(aggregate['categorizedDowntime']).to.be.above(0)
  })

  it('The incidents of the history are those that a trial of their rule finds', async () => {
    const { companyId, records } = service
    const rule = records.get('alertRule', companyId, faultRule.id)
    assert.isNotNull(rule)
    const range = { start: new Date(startMs - 3 * hourMs).toISOString(), end: new Date(startMs).toISOString() }
    const body = { rule: { ...faultRule }, ...range }
    const answer = await service.call('POST', '/alert-rules/try', body)
    const { incidents: found }: RuleTrial = Object(answer.body)
    const timesOf = (
      incident: Pick<RuleTrial['incidents'][number], 'subject' | 'startedAt' | 'openedAt' | 'endedAt'>,
    ) => [incident.subject.id, incident.startedAt, incident.openedAt, incident.endedAt]
    const stored = records.list('incident', companyId).filter(({ ruleId }) => ruleId === faultRule.id)
    const ended = found.filter(({ endedAt }) => endedAt !== null)
    expect(stored.map(timesOf)).to.have.deep.members(ended.map(timesOf))
    expect(stored.length, 'the evaluation leaves them as they are').to.be.above(0)
    expect(stored.every(({ state }) => state === 'resolved')).to.equal(true)
  })

  it('After a restart, the simulated plant sends each missing sample once and creates no record again', async () => {
    const records = countRecords(service)
    await runOnce()
    expect(countRecords(service)).to.deep.equal(records)
    nowMs = startMs + gapMs
    service.setClock(nowMs)
    const shares = await runOnce()
    expect(shares.at(-1)).to.equal(1)
    expect((await readProgress(join(config.TAKT_DATA_DIR, 'demo.json')))?.sentMs).to.equal(nowMs)
    const inLog = await samplesInLog()
    const bulkFromMs = startMs - hourMs
    for (const { id, index } of plant.machines) {
      const expected = [
        ...plant.samples(index, startMs - 3 * hourMs, bulkFromMs, { bulk: false }),
        ...plant.samples(index, bulkFromMs, nowMs, { bulk: true }),
      ]
      expect([...(inLog.get(id) ?? [])].sort()).to.deep.equal(expected.map(sample => JSON.stringify(sample)).sort())
    }
  })

  it('The simulated plant repeats nothing if its progress file is lost', async () => {
    const [records, before] = [countRecords(service), await report('machine')]
    rmSync(join(config.TAKT_DATA_DIR, 'demo.json'))
    await runOnce()
    expect(countRecords(service)).to.deep.equal(records)
    expect(await report('machine')).to.deep.equal(before)
  })
})

function countRecords({ records, companyId }: TestService): Readonly<Record<string, number>> {
  const kinds = [
    'machine',
    'schedule',
    'machineGroup',
    'operator',
    'operatorRun',
    'downtimeReason',
    'annotation',
  ] as const
  const more = ['alertRule', 'incident', 'partAdjustmentType', 'partAdjustment', 'jobOperation', 'jobRun'] as const
  return Object.fromEntries([...kinds, ...more].map(kind => [kind, records.list(kind, companyId).length]))
}
