import { assert } from 'chai'
import { expectSameReport, oracleReport, productionMetricNames } from '../oracle/oracle.ts'
import type { OraclePlant, OracleRequest, ReportKind } from '../oracle/oracle.ts'
import {
  aMachine,
  anAdjustment,
  anAdjustmentType,
  anAnnotation,
  anOperation,
  anOperator,
  aPlant,
  aReason,
  aRun,
  aSchedule,
  aShift,
  aSignIn,
} from '../oracle/build.ts'
import { readAs } from '../support/read-as.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  adjustmentBody,
  operationBody,
  longChangeTimeout,
  reasonBody,
  scheduleBody,
  type Tell,
  tellPlant,
  tellTo,
  typeBody,
} from './tell-plant.ts'

const machineId = '5f0c1c52-6d0e-4a52-9a4e-0e7a2f1f7a10'
const monthMs = 31 * 86_400_000

/** An instant of the plant's only working day, a month before its clock. */
function at(time: string): string {
  return `2026-03-02T${time}:00.000Z`
}

/**
 * Returns the samples of the day: from six to six, a part every ten minutes while the machine runs, which is forty
 * minutes of each hour.
 */
function samplesOfTheDay() {
  return Array.from({ length: 73 }, (_, index) => {
    const timestamp = new Date(Date.parse(at('06:00')) + index * 600_000).toISOString()
    const runs = index % 6 < 4 && index < 72
    return [
      { machineId, timestamp, key: 'exec', type: 'EXECUTION', value: runs ? 'ACTIVE' : 'STOPPED' },
      {
        machineId,
        timestamp,
        key: 'parts',
        type: 'PART_COUNT',
        value: Math.floor(index / 6) * 4 + Math.min(index % 6, 4),
      },
    ]
  }).flat()
}

const onMachine = { machineId }
const shift = aShift('day', '07:00', '16:00')
const office = aShift('day', '10:00', '14:00')

const first: OraclePlant = aPlant({
  machines: [aMachine({ id: machineId, erpMachineId: 'WC-1', scheduleId: 's1', commissionedAt: at('06:00') })],
  schedules: [aSchedule([shift])],
  operations: [anOperation({ idealPartTime: 500_000, expectedPartTime: 700_000, expectedSetupTime: 900 })],
  runs: [
    aRun('r1', at('07:00'), at('11:00'), { ...onMachine, startInSetup: true, productionAt: at('07:45') }),
    aRun('r2', at('12:00'), null, { ...onMachine, ref: 2, startSequence: 2 }),
  ],
  operators: [anOperator('ann')],
  reasons: [aReason(1, 'Jam'), aReason(2, 'Cleaning', true)],
  adjustmentTypes: [anAdjustmentType(1, 'Burr', 'scrap'), anAdjustmentType(2, 'Ask', 'operator')],
  samples: samplesOfTheDay(),
  nowMs: Date.parse(at('18:00')) + monthMs,
})

const day = { start: at('00:00'), end: at('23:59') }
const data = productionMetricNames.map(metric => ({ metric }))
const by = (...groups: readonly string[]) => groups.map(group => ({ group }))
const requests: readonly OracleRequest[] = [
  { report: 'production', ...day, data, groupBy: by('jobOperationRun') },
  { report: 'production', ...day, data, groupBy: by('operator', 'shift') },
  { report: 'downtime', ...day, groupBy: by('reason', 'shift') },
  { report: 'quality', ...day, groupBy: by('reason', 'machine') },
]

/** A change that is sent a month later, and the plant after it. */
interface LateChange {
  readonly what: string
  /** Reports that must change. */
  readonly reports: readonly ReportKind[]
  readonly tell: (tell: Tell) => Promise<unknown>
  readonly after: (before: OraclePlant) => Partial<OraclePlant>
}

/** Returns changes in order; each builds on the previous ones. */
function lateChanges(): readonly LateChange[] {
  const annotationId = '11111111-2222-4333-8444-555555555555'
  const annotation = Object.assign(anAnnotation(1, at('08:30'), at('10:50')), { ...onMachine, id: annotationId })
  const annotate = (tell: Tell, told: typeof annotation) => tell('PUT', `/annotations/${told.id}`, told)
  const shorter = { ...annotation, reasonId: 2, endAt: at('09:50') }
  const reject = anAdjustment(at('09:00'), -3, 3, { ...onMachine, categoryId: 1 })
  const moved = { ...reject, categoryId: 2, scrapCount: 2, adjustmentTime: at('13:00') }
  const signIn = { ...aSignIn('ann', at('08:00'), null), ...onMachine }
  const stored: Record<string, string> = {}
  const create = async (name: string, answer: Promise<unknown>) => {
    stored[name] = readAs<{ readonly id: string }>(await answer).id
  }
  const stop = (id: string, endAt: string) => (tell: Tell) =>
    tell('POST', '/erp/jobdispatch/stop', { erpJobOperationRunId: id, endAt })
  const schedule = aSchedule([office], { exceptions: [{ date: '2026-03-02', shifts: [] }] })
  const planned = aReason(1, 'Jammed', true)
  const rework = anAdjustmentType(1, 'Burr', 'nonconform')
  const slower = anOperation({ idealPartTime: 900_000, partCountMultiplier: 2 })
  const late = aRun('r3', at('11:30'), null, { ...onMachine, ref: 3, startSequence: 3 })
  return [
    {
      what: 'Changed shifts',
      reports: ['production', 'downtime'],
      tell: tell => tell('PUT', '/schedules/s1', scheduleBody(aSchedule([office]))),
      after: () => ({ schedules: [aSchedule([office])] }),
    },
    {
      what: 'A holiday',
      reports: ['production', 'downtime'],
      tell: tell => tell('PUT', '/schedules/s1', scheduleBody(schedule)),
      after: () => ({ schedules: [schedule] }),
    },
    {
      what: 'The original shifts',
      reports: ['production', 'downtime'],
      tell: tell => tell('PUT', '/schedules/s1', scheduleBody(aSchedule([shift]))),
      after: () => ({ schedules: [aSchedule([shift])] }),
    },
    {
      what: 'An annotation',
      reports: ['production', 'downtime'],
      tell: tell => annotate(tell, annotation),
      after: () => ({ annotations: [annotation] }),
    },
    {
      what: 'A planned and renamed reason',
      reports: ['production', 'downtime'],
      tell: tell => tell('PUT', '/downtime-reasons/1', reasonBody(planned)),
      after: ({ reasons }) => ({ reasons: [planned, ...reasons.slice(1)] }),
    },
    {
      what: 'A shorter annotation with another reason',
      reports: ['downtime'],
      tell: tell => annotate(tell, shorter),
      after: () => ({ annotations: [shorter] }),
    },
    {
      what: 'A deleted annotation',
      reports: ['production', 'downtime'],
      tell: tell => tell('DELETE', `/annotations/${annotationId}`),
      after: () => ({ annotations: [] }),
    },
    {
      what: 'An earlier end of a run',
      reports: ['production'],
      tell: stop('r1', at('10:00')),
      after: ({ runs }) => ({
        runs: runs.map(run => (run.id === 'r1' ? Object.assign({}, run, { endAt: at('10:00') }) : run)),
      }),
    },
    {
      what: 'An added run between two others',
      reports: ['production'],
      tell: tell =>
        tell('POST', '/erp/jobdispatch/start', {
          erpJobOperationRunId: 'r3',
          erpMachineId: 'WC-1',
          jobName: 'Job',
          startAt: late.startAt,
        }),
      after: ({ runs }) => ({ runs: [...runs, late] }),
    },
    {
      what: 'An undone run',
      reports: ['production'],
      tell: stop('r3', late.startAt),
      after: ({ runs }) => ({ runs: runs.filter(({ id }) => id !== 'r3') }),
    },
    {
      what: 'An earlier end of setup',
      reports: ['production', 'downtime'],
      tell: tell =>
        tell('POST', '/erp/jobdispatch/production', { erpJobOperationRunId: 'r1', productionAt: at('07:10') }),
      after: ({ runs }) => ({
        runs: runs.map(run => (run.id === 'r1' ? Object.assign({}, run, { productionAt: at('07:10') }) : run)),
      }),
    },
    {
      what: 'Changed part times and multiplier of a job',
      reports: ['production'],
      tell: tell => tell('PUT', '/job-operations/op1', operationBody(slower)),
      after: () => ({ operations: [slower] }),
    },
    {
      what: 'An added adjustment of rejects',
      reports: ['production', 'quality'],
      tell: tell => create('reject', tell('POST', '/part-adjustment', adjustmentBody(reject))),
      after: () => ({ adjustments: [reject] }),
    },
    {
      what: 'A changed behaviour of an adjustment type',
      reports: ['production'],
      tell: tell => tell('PUT', '/part-adjustment-types/1', typeBody(rework)),
      after: ({ adjustmentTypes }) => ({ adjustmentTypes: [rework, ...adjustmentTypes.slice(1)] }),
    },
    {
      what: 'A changed adjustment',
      reports: ['production', 'quality'],
      tell: tell => tell('PUT', `/part-adjustment/${stored['reject']}`, adjustmentBody(moved)),
      after: () => ({ adjustments: [moved] }),
    },
    {
      what: 'A deleted adjustment',
      reports: ['production', 'quality'],
      tell: tell => tell('DELETE', `/part-adjustment/${stored['reject']}`),
      after: () => ({ adjustments: [] }),
    },
    {
      what: 'A sign-in of an operator',
      reports: ['production'],
      tell: tell =>
        create('signIn', tell('POST', '/operator-runs', { ...onMachine, operatorId: 'ann', startAt: at('08:00') })),
      after: () => ({ operatorRuns: [signIn] }),
    },
    {
      what: 'A sign-out of an operator',
      reports: ['production'],
      tell: tell => tell('POST', `/operator-runs/${stored['signIn']}/end`, { endAt: at('09:30') }),
      after: () => ({ operatorRuns: [{ ...signIn, endAt: at('09:30') }] }),
    },
  ]
}

describe('changes a month later', function () {
  let service: TestService
  let plant = first
  let answers = new Map<OracleRequest, unknown>()

  const compare = async (): Promise<Map<OracleRequest, unknown>> => {
    const now = new Map<OracleRequest, unknown>()
    for (const request of requests) {
      const { status, body } = await service.call('POST', `/reports/${request.report}`, request)
      assert.equal(status, 200, JSON.stringify(body))
      expectSameReport(body, oracleReport({ ...plant, request }))
      now.set(request, body)
    }
    return now
  }

  before(async () => {
    service = await startService({ nowMs: first.nowMs, env: longChangeTimeout })
    await tellPlant(service, first, { other: first, seed: 1 })
    await service.settled()
    answers = await compare()
  })
  after(() => service.stop())

  for (const { what, reports, tell, after } of lateChanges())
    it(`${what}, sent a month later, changes the ${reports.join(' and ')} report`, async () => {
      await tell(tellTo(service))
      await service.settled()
      plant = Object.assign({}, plant, after(plant))
      const before = answers
      answers = await compare()
      for (const report of reports) {
        const asked = requests.filter(request => request.report === report)
        const changed = asked.filter(request => {
          const texts = [before, answers].map(each => JSON.stringify(each.get(request)))
          return texts[0] !== texts[1]
        })
        assert.isNotEmpty(changed, `the ${report} report is as before`)
      }
    })
})
