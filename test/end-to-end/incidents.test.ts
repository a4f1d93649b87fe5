import { expect } from 'chai'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { readConfig } from '../../service/config.ts'
import { openLog } from '../../service/open-clients.ts'
import { Problems } from '../../shared/problems.ts'
import type { Log } from '../../log/log.ts'
import type { RuleTrial } from '../../schema/requests/rule-trial.ts'
import type { WireSample } from '../../schema/topics.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { naiveSpans } from '../support/alerting/naive-spans.ts'
import { type Plant, type PlantRule, type PlantSample, toMs } from '../support/alerting/random-plant.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { postSamples } from './plant-service.ts'

const minutes = 420
const checkpoints = [30, 61, 125, 190, 260, 330, minutes]
const iso = (minute: number) => new Date(toMs(minute)).toISOString()
const always = { scheduled: null, shifts: [], days: [] }
const plain = { when: always, forMinutes: 0, resolveAfterMinutes: 0, quietMinutes: 0, activeFrom: 0 }

const rules: Readonly<Record<string, PlantRule>> = {
  fault: { ...plain, condition: { status: ['FAULT'] } },
  idle: { ...plain, condition: { status: ['INACTIVE'] }, forMinutes: 5, resolveAfterMinutes: 3 },
  alarm: { ...plain, condition: { alarm: { nativeCodes: ['a'], states: [], text: 'OIL' } }, quietMinutes: 20 },
  long: { ...plain, condition: { status: ['INACTIVE', 'FAULT'] }, forMinutes: 70, quietMinutes: 120 },
}

/** Samples of one machine, one in each of some minutes; the first one is known at the start. */
const anySamples: fc.Arbitrary<readonly PlantSample[]> = fc
  .uniqueArray(fc.integer({ min: 1, max: minutes - 1 }), { minLength: 5, maxLength: 40 })
  .chain(found =>
    fc.tuple(
      ...found.map(at =>
        fc.oneof(
          fc.constantFrom('ACTIVE', 'ACTIVE', 'READY').map(value => ({ at, kind: 'execution', value }) as const),
          fc
            .tuple(fc.constantFrom('NORMAL', 'WARNING', 'FAULT'), fc.constantFrom('a', 'b'))
            .map(([level, code]) => ({ at, kind: 'condition', level, code, message: 'Oil low' }) as const),
        ),
      ),
    ),
  )
  .map(found => {
    const first = { at: 0, kind: 'execution', value: 'ACTIVE' } as const
    return [first, ...found].toSorted((a, b) => a.at - b.at)
  })

/** Four incidents of each of two rules, because random samples may have few. */
const faults: readonly PlantSample[] = [
  { at: 0, kind: 'execution', value: 'ACTIVE' },
  ...[10, 70, 130, 200].flatMap(at => [
    { at, kind: 'condition', level: 'FAULT', code: 'a', message: 'Oil low' } as const,
    { at: at + 10, kind: 'condition', level: 'NORMAL', code: 'a', message: 'Oil low' } as const,
  ]),
]

/** Silent from late in an hour on: the silence is confirmed in an hour without samples. */
const silentFrom352: readonly PlantSample[] = [0, 352].map(at => ({ at, kind: 'execution', value: 'ACTIVE' }))

const plantOf = (samples: readonly PlantSample[]): Plant => ({
  samples,
  annotations: [],
  run: { start: 1e9, production: 1e9, end: 1e9 },
  staleMinutes: null,
  decommissioned: null,
})

/** The incidents of a scan over the samples before a minute, as [started, opened, ended]. */
function expectedAt(samples: readonly PlantSample[], rule: PlantRule, limit: number) {
  const known = plantOf(samples.filter(({ at }) => at < limit))
  return naiveSpans(known, rule, limit).map(({ started, opened, end }) => [started, opened, end])
}

function inputOf(name: string, { condition, forMinutes, resolveAfterMinutes, quietMinutes }: PlantRule) {
  return {
    name,
    severity: 'warning',
    condition,
    forMs: forMinutes * minuteMs,
    resolveAfterMs: resolveAfterMinutes * minuteMs,
    quietMs: quietMinutes * minuteMs,
  }
}

function toSample(machineId: string, sample: PlantSample): WireSample {
  const timestamp = iso(sample.at)
  if (sample.kind === 'execution')
    return { machineId, timestamp, key: 'execution', type: 'EXECUTION', value: sample.value }
  if (sample.kind !== 'condition') throw new Error('The plant has no other samples')
  const { level, code: nativeCode, message } = sample
  return {
    machineId,
    timestamp,
    key: 'system',
    type: 'SYSTEM',
    category: 'CONDITION',
    value: level,
    nativeCode,
    message,
  }
}

describe('incidents of a running service', () => {
  let folder: string
  let log: Log
  let database: TestDatabase
  let service: TestService
  let nowMs = toMs(0)
  const machines = new Map<string, readonly PlantSample[]>()

  const start = async () => {
    // The clock jumps: samples of the time in between are late until the last of them is posted.
    service = await startService({ log, store: database.store, nowMs, env: { TAKT_ALERT_LATE_SECONDS: '86400' } })
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'takt-incidents-'))
    const config = readConfig({ TAKT_DATA_DIR: folder, TAKT_PORT: '0' })
    const logger = pino({ level: 'silent' })
    const problems = new Problems({ clock: Date.now, logger })
    log = await openLog({ config, clock: () => nowMs, logger, problems, report: () => undefined })
    database = await freshDatabase()
    await start()
    for (const samples of [...fc.sample(anySamples, 5), faults, silentFrom352]) {
      const id = randomUUID()
      machines.set(id, samples)
      await put(`/machines/${id}`, { name: id.slice(0, 8), commissionedAt: iso(0), staleAfterMs: null })
    }
    for (const [id, rule] of Object.entries(rules)) await put(`/alert-rules/${id}`, inputOf(id, rule))
  })
  after(async () => {
    await service.stop()
    await log.close()
    await database.drop()
    await rm(folder, { recursive: true })
  })

  async function put(path: string, body: object) {
    const response = await service.call('PUT', path, body)
    expect(response.status, JSON.stringify(response.body)).to.equal(200)
  }

  const minuteOf = (instant: string) => (Date.parse(instant) - toMs(0)) / minuteMs

  /** The incidents of the service, as [started, opened, ended] by machine and rule. */
  function actual() {
    const found: Record<string, (number | null)[][]> = {}
    for (const incident of service.records.list('incident', service.companyId)) {
      if (incident.state === 'retracted') continue
      const { startedAt, openedAt, endedAt } = incident
      const ended = endedAt === null ? null : minuteOf(endedAt)
      const times = [minuteOf(startedAt), minuteOf(openedAt), ended]
      ;(found[`${incident.subject.id} ${incident.ruleId}`] ??= []).push(times)
    }
    for (const list of Object.values(found)) list.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))
    return found
  }

  function expected(limit: number) {
    const found: Record<string, (number | null)[][]> = {}
    for (const [machineId, samples] of machines)
      for (const [id, rule] of Object.entries(rules)) {
        const incidents = expectedAt(samples, rule, limit)
        if (incidents.length > 0) found[`${machineId} ${id}`] = incidents
      }
    return found
  }

  async function untilEqual(limit: number) {
    const wanted = expected(limit)
    const untilMs = Date.now() + 120_000
    for (;;) {
      try {
        expect(actual()).to.deep.equal(wanted)
        return
      } catch (error) {
        if (Date.now() > untilMs) throw error
        await sleep(100)
      }
    }
  }

  it('Incidents equal those of a scan over all samples, live and after restarts', async () => {
    let previous = -1
    for (const [index, limit] of checkpoints.entries()) {
      nowMs = toMs(limit)
      service.setClock(nowMs)
      const samples = [...machines].flatMap(([id, ofMachine]) =>
        ofMachine.filter(({ at }) => at > previous && at < limit).map(sample => toSample(id, sample)),
      )
      previous = limit - 1
      await postSamples(service, samples, 50)
      if (index % 2 === 1) {
        await service.stop()
        await start()
      }
      await untilEqual(limit)
    }
    expect(Object.values(actual()).flat().length, 'there are incidents').to.be.above(5)
  })

  it('A trial of each rule finds the incidents of a scan over all samples', async () => {
    // Silence is counted to the end of the newest stored hour; incidents of the other rules do not wait for it.
    await service.settled()
    const silent: PlantRule = { ...plain, condition: { silent: true }, forMinutes: 20, resolveAfterMinutes: 5 }
    for (const [name, rule] of Object.entries({ ...rules, silent })) {
      const trial = { rule: inputOf(name, rule), start: iso(100), end: iso(minutes) }
      const response = await service.call('POST', '/alert-rules/try', trial)
      const found: RuleTrial = Object(response.body)
      const times = found.incidents.map(({ subject, startedAt, openedAt, endedAt }) => [
        subject.id,
        minuteOf(startedAt),
        minuteOf(openedAt),
        endedAt === null ? null : minuteOf(endedAt),
      ])
      const wanted = [...machines].flatMap(([id, samples]) =>
        expectedAt(samples, rule, minutes).map(([started, opened, ended]) => [id, started, opened, ended]),
      )
      expect(times, name).to.have.deep.members(wanted.filter(([, , opened]) => Number(opened) >= 100))
    }
  })
})
