import { expect } from 'chai'
import { defaultCompanySettings } from '../../schema/records/company.ts'
import { defaultThresholds } from '../../schema/records/thresholds.ts'
import {
  aMachine,
  aMachineGroup,
  aPlant,
  aReason,
  aRun,
  aSample,
  aSchedule,
  aShift,
  aSignIn,
  anAdjustment,
  anAdjustmentType,
  anAnnotation,
  anOperation,
  anOperator,
  condition,
  execution,
} from './build.ts'
import { nativeCodeId, oracleReport } from './oracle.ts'
import type { OraclePlant, OracleRequest, ReportItem, ReportKind } from './oracle.ts'

const t = (time: string) => `2026-03-02T${time}Z`
const hourMs = 3_600_000
const wholeDay = { start: t('00:00:00'), end: '2026-03-03T00:00:00Z' }

function ask(plant: Partial<OraclePlant>, request: Partial<OracleRequest> & { readonly report: ReportKind }) {
  return oracleReport({ ...aPlant(plant), request: { ...wholeDay, ...request } })
}

function metrics(plant: Partial<OraclePlant>, names: readonly string[], request: Partial<OracleRequest> = {}) {
  const data = names.map(metric => ({ metric }))
  return ask(plant, { report: 'production', data, ...request }).aggregate
}

/** Formats the items as `id:value` of one metric, nested in brackets. */
function tree(items: readonly ReportItem[], metric: string): string {
  return items
    .map(({ entity, aggregate, items: inner }) => {
      const below = inner ? `[${tree(inner, metric)}]` : ''
      return `${entity.id}:${String(aggregate[metric])}${below}`
    })
    .join(' ')
}

function grouped(
  plant: Partial<OraclePlant>,
  groups: readonly string[],
  metric: string,
  more: Partial<OracleRequest> = {},
) {
  const groupBy = groups.map(group => ({ group }))
  const answer = ask(plant, { report: 'production', data: [{ metric }], groupBy, ...more })
  return tree(answer.items, metric)
}

/** Samples: in cycle from 01 to 02 and 03 to 04, otherwise READY from 00 on. */
const twoCycles = [
  execution(t('00:00:00'), 'READY'),
  execution(t('01:00:00'), 'ACTIVE'),
  execution(t('02:00:00'), 'READY'),
  execution(t('03:00:00'), 'ACTIVE'),
  execution(t('04:00:00'), 'READY'),
]

describe('oracle: time', () => {
  it('Time counts from commissioning to decommissioning, and not after now', () => {
    const allTime = (machine: Parameters<typeof aMachine>[0], plant: Partial<OraclePlant> = {}) =>
      metrics({ machines: [aMachine(machine)], ...plant }, ['allTime'])['allTime']
    expect(allTime({})).to.equal(24 * hourMs)
    expect(allTime({ decommissionedAt: t('06:00:00') })).to.equal(6 * hourMs)
    expect(allTime({ commissionedAt: t('20:00:00') })).to.equal(4 * hourMs)
    expect(allTime({}, { nowMs: Date.parse(t('05:00:00')) })).to.equal(5 * hourMs)
    const created = { commissionedAt: null, createdAt: t('10:00:00.000') }
    expect(allTime(created)).to.equal(14 * hourMs)
    expect(allTime(created, { samples: [aSample(t('09:00:00'), 'x', 'LOAD', 1)] })).to.equal(15 * hourMs)
    expect(allTime(created, { samples: [aSample(t('11:00:00'), 'x', 'LOAD', 1)] })).to.equal(14 * hourMs)
  })

  it('Time after now does not count, and the range ends at now', () => {
    const nowMs = Date.parse(t('05:00:00'))
    expect(ask({ nowMs }, { report: 'downtime' }).range).to.deep.equal({
      start: t('00:00:00.000'),
      end: t('05:00:00.000'),
    })
    const future = { start: '2026-03-05T00:00:00Z', end: '2026-03-06T00:00:00Z' }
    const answer = ask({ nowMs }, { report: 'downtime', ...future })
    expect(answer).to.deep.equal({
      range: { start: t('05:00:00.000'), end: t('05:00:00.000') },
      aggregate: { downtimeMs: 0, recordCount: 0 },
      entities: {},
      items: [],
    })
  })

  it('Time divides into setup, scheduled and unscheduled time', () => {
    const plant = {
      samples: twoCycles,
      machines: [aMachine({ scheduleId: 's1' })],
      schedules: [aSchedule([aShift('day', '00:30', '03:30'), aShift('extra', '03:30', '05:00', { optional: true })])],
      // Setup from 03:15 to 04:15, then production until 06:00.
      runs: [aRun('r', t('03:15:00'), t('06:00:00'), { startInSetup: true, productionAt: t('04:15:00') })],
    }
    const names = ['allTime', 'setupTime', 'scheduledTime', 'unscheduledTime', 'nonOptionalTime', 'productionTime']
    expect(Object.values(metrics(plant, names)).map(it => Number(it) / hourMs)).to.deep.equal([
      24, 1, 3.5, 19.5, 3, 1.75,
    ])
    const more = ['timeInCycle', 'scheduledTimeInCycle', 'productionTimeInCycle', 'productionDowntime', 'downtime']
    // Down 00:30–01, 02–03, 04–05 (the last in the optional shift, while the run is active).
    expect(Object.values(metrics(plant, more)).map(it => Number(it) / hourMs)).to.deep.equal([2, 1.25, 0, 1.75, 2.5])
    const byJob = { ...plant, machines: [aMachine({ scheduleId: 's1', scheduledBy: 'job' })] }
    expect(metrics(byJob, ['scheduledTime', 'unscheduledTime', 'downtime'])).to.deep.equal({
      scheduledTime: 1.75 * hourMs,
      unscheduledTime: 21.25 * hourMs,
      downtime: 2 * hourMs,
    })
  })

  it('A machine is scheduled around the clock while no schedule version is in force', () => {
    const machines = [aMachine({ scheduleId: 's1' })]
    const shifts = [aShift('day', '06:00', '18:00')]
    const since = (effectiveFrom: string | null, dates: readonly string[] = []) =>
      metrics(
        {
          machines,
          schedules: [
            aSchedule(shifts, {
              versions: [{ effectiveFrom, shifts }],
              exceptions: dates.map(date => ({ date, shifts: [] })),
            }),
          ],
        },
        ['nonOptionalTime'],
      )['nonOptionalTime']
    expect(since('2026-03-03')).to.equal(24 * hourMs)
    expect(since('2026-03-02')).to.equal(12 * hourMs)
    expect(since(null)).to.equal(12 * hourMs)
    expect(since('2026-03-03', ['2026-03-02'])).to.equal(0)
  })
})

describe('oracle: jobs', () => {
  it('Runs of a machine do not overlap, in any order of their start commands', () => {
    const runs = [
      aRun('late', t('10:00:00'), null, { startSequence: 1 }),
      aRun('early', t('02:00:00'), null, { startSequence: 2 }),
      aRun('never', t('05:00:00'), t('05:00:00'), { startSequence: 3 }),
      aRun('replaced', t('08:00:00'), t('09:00:00'), { startSequence: 4 }),
      aRun('stands', t('08:00:00'), t('08:30:00'), { startSequence: 5 }),
    ]
    expect(grouped({ runs }, ['jobOperationRun'], 'productionTime')).to.equal(
      `none:0 early:${6 * hourMs} late:${14 * hourMs} stands:${0.5 * hourMs}`,
    )
  })

  it('A run is in production from its production command, or from its first part with autoProduction', () => {
    const samples = [0, 0, 1, 2].map((value, index) => aSample(t(`0${index + 1}:00:00`), 'n', 'PART_COUNT', value))
    const setup = (autoProduction: boolean, productionAt: string | null) =>
      metrics(
        {
          samples,
          company: { ...defaultCompanySettings, autoProduction },
          runs: [aRun('r', t('00:30:00'), t('10:00:00'), { startInSetup: true, productionAt })],
        },
        ['setupTime', 'scheduledTotalParts', 'totalParts'],
      )
    const parts = { totalParts: 2 }
    expect(setup(false, null)).to.deep.equal({ setupTime: 9.5 * hourMs, scheduledTotalParts: 0, ...parts })
    expect(setup(true, null)).to.deep.equal({ setupTime: 2.5 * hourMs, scheduledTotalParts: 2, ...parts })
    expect(setup(true, t('01:30:00'))).to.deep.equal({ setupTime: hourMs, scheduledTotalParts: 2, ...parts })
    expect(setup(false, t('03:30:00'))).to.deep.equal({ setupTime: 3 * hourMs, scheduledTotalParts: 1, ...parts })
  })

  it('Each job time comes from the work centre of the machine, otherwise from its groups, otherwise from the operation', () => {
    const entry = {
      machineId: null,
      machineGroupId: null,
      expectedSetupTime: null,
      idealPartTime: null,
      expectedPartTime: null,
      partCountMultiplier: null,
    }
    const operation = anOperation({
      expectedSetupTime: 60,
      idealPartTime: 1000,
      expectedPartTime: 2000,
      partCountMultiplier: 3,
      workCenters: [
        { ...entry, machineGroupId: 'g9', idealPartTime: 1 },
        { ...entry, machineGroupId: 'g1', idealPartTime: 700, expectedPartTime: 0 },
        { ...entry, machineGroupId: 'g2', idealPartTime: 800, expectedPartTime: 1800, partCountMultiplier: 2 },
        { ...entry, machineId: 'm1', idealPartTime: 0, expectedSetupTime: 0 },
      ],
    })
    const plant = {
      operations: [operation],
      machines: [aMachine({ machineGroupIds: ['g1', 'g2'] })],
      groups: [aMachineGroup(), aMachineGroup({ id: 'g2', name: 'Turns' })],
      runs: [aRun('r', t('01:00:00'), t('02:00:00'), { startInSetup: true })],
      samples: [aSample(t('00:00:00'), 'n', 'PART_COUNT', 0), aSample(t('01:30:00'), 'n', 'PART_COUNT', 5)],
    }
    expect(metrics(plant, ['idealPartTime', 'expectedPartTime', 'expectedSetupTime', 'totalParts'])).to.deep.equal({
      idealPartTime: 700,
      expectedPartTime: 1800,
      expectedSetupTime: 0,
      totalParts: 10,
    })
    const elsewhere = { ...plant, machines: [aMachine()] }
    expect(metrics(elsewhere, ['idealPartTime', 'expectedPartTime', 'totalParts'])).to.deep.equal({
      idealPartTime: 1000,
      expectedPartTime: 2000,
      totalParts: 15,
    })
  })
})

describe('oracle: rates', () => {
  const count = (time: string, value: number) => aSample(t(time), 'n', 'PART_COUNT', value)
  /**
   * A machine that is scheduled around the clock, with a run from 00 to 10 of 30 minutes ideal part time. It is 2 h in
   * cycle, so 4 parts are ideal; 3 are produced, 1 is rejected.
   */
  const plant: Partial<OraclePlant> = {
    samples: [...twoCycles, count('00:00:00', 0), count('01:30:00', 2), count('03:30:00', 3)],
    operations: [anOperation({ idealPartTime: hourMs / 2, expectedPartTime: hourMs })],
    runs: [aRun('r', t('00:00:00'), t('10:00:00'))],
    adjustments: [anAdjustment(t('05:00:00'), -1, 1)],
  }

  it('Rates are computed from the sums of the group', () => {
    const names = ['availability', 'performance', 'quality', 'scrapRate', 'oee', 'ooe', 'teep', 'utilizationRate']
    const expected = [2 / 24, 3 / 4, 2 / 3, 1 / 3, (2 / 24) * 0.5, (2 / 24) * 0.5, (2 / 24) * 0.5, 2 / 24]
    Object.values(metrics(plant, names)).forEach((it, index) => expect(it).to.be.closeTo(expected[index] ?? NaN, 1e-12))
    expect(
      metrics(plant, [
        'scheduledIdealParts',
        'inCycleIdealParts',
        'scheduledExpectedParts',
        'partsGoal',
        'averagePartsPerHour',
        'expectedPartsPerHour',
        'idealPartsPerHour',
        'actualPartTime',
        'idealCoverage',
        'minStartTime',
        'maxEndTime',
      ]),
    ).to.deep.equal({
      scheduledIdealParts: 20,
      inCycleIdealParts: 4,
      scheduledExpectedParts: 10,
      partsGoal: 0.3,
      averagePartsPerHour: 3 / 24,
      expectedPartsPerHour: 1,
      idealPartsPerHour: 2,
      actualPartTime: 8 * hourMs,
      idealCoverage: 10 / 24,
      minStartTime: Date.parse(t('00:00:00')),
      maxEndTime: Date.parse(t('10:00:00')),
    })
  })

  it('Rates are null without a denominator, and OEE is 0 if the job never ran', () => {
    const idle = { ...plant, samples: [execution(t('00:00:00'), 'READY')], adjustments: [] }
    const names = ['availability', 'performance', 'quality', 'scrapRate', 'oee', 'partsGoal', 'inCycleIdealParts']
    expect(Object.values(metrics(idle, names))).to.deep.equal([0, null, null, null, 0, 0, 0])
    const jobless = { samples: twoCycles }
    expect(
      metrics(jobless, ['availability', 'performance', 'oee', 'scheduledIdealParts', 'idealPartTime', 'minStartTime']),
    ).to.deep.equal({
      availability: 2 / 24,
      performance: null,
      oee: null,
      scheduledIdealParts: 0,
      idealPartTime: null,
      minStartTime: null,
    })
    const unmade = { ...plant, samples: twoCycles, adjustments: [] }
    expect(metrics(unmade, ['performance', 'quality', 'oee'])).to.deep.equal({ performance: 0, quality: null, oee: 0 })
  })

  it('OEE thresholds are weighted by scheduled time, and utilization thresholds by all time', () => {
    const shifts = [aShift('day', '06:00', '18:00')]
    const thresholds = {
      machines: [aMachine({ thresholds: { oeeWarning: 0.5, utilizationFailure: 0.2 }, scheduleId: 's1' })],
      schedules: [aSchedule(shifts)],
      operations: [anOperation({ thresholds: { oeeWarning: 0.9, utilizationFailure: 0.8 } })],
      runs: [aRun('r', t('03:00:00'), t('09:00:00'))],
    }
    expect(
      metrics(thresholds, ['oeeWarningThreshold', 'utilizationFailureThreshold', 'oeeFailureThreshold']),
    ).to.deep.equal({
      oeeWarningThreshold: (3 * 0.9 + 9 * 0.5) / 12,
      utilizationFailureThreshold: 0.35,
      oeeFailureThreshold: defaultThresholds.oeeFailure,
    })
    const night = { start: t('00:00:00'), end: t('03:00:00') }
    expect(metrics(thresholds, ['oeeWarningThreshold'], night)).to.deep.equal({ oeeWarningThreshold: null })
  })
})

describe('oracle: parts and rejects', () => {
  const plant: Partial<OraclePlant> = {
    samples: [aSample(t('00:00:00'), 'n', 'PART_COUNT', 0), aSample(t('01:00:00'), 'n', 'PART_COUNT', 10)],
    adjustmentTypes: [anAdjustmentType(1, 'Burr', 'nonconform'), anAdjustmentType(2, 'Asked', 'operator')],
    adjustments: [
      anAdjustment(t('02:00:00'), -5, 5, { categoryId: 1, rejectBehavior: 'scrap' }),
      anAdjustment(t('03:00:00'), 0, 2, { categoryId: 2, rejectBehavior: 'nonconform' }),
      anAdjustment(t('04:00:00'), 0, 1, { categoryId: 2 }),
      anAdjustment(t('05:00:00'), 3, 0),
      anAdjustment('2026-03-03T00:00:00Z', 100, 100),
    ],
  }

  it('Rejects are split by the behaviour of their type, otherwise as sent, otherwise as scrap', () => {
    const names = ['totalParts', 'goodParts', 'rejectedParts', 'scrapParts', 'nonconformParts', 'nonconformRate']
    expect(Object.values(metrics(plant, names))).to.deep.equal([16, 8, 8, 1, 7, 7 / 16])
  })

  it('The quality report counts the adjustments with a scrapcount', () => {
    const answer = ask(plant, { report: 'quality', groupBy: [{ group: 'reason' }] })
    expect(answer.aggregate).to.deep.equal({ rejectCount: 8, recordCount: 3 })
    expect(tree(answer.items, 'rejectCount')).to.equal('2:3 1:5')
    expect(answer.entities['reason']).to.deep.equal({
      '1': { id: 1, name: 'Burr', color: '#654321' },
      '2': { id: 2, name: 'Asked', color: '#654321' },
    })
  })
})

describe('oracle: downtime', () => {
  const samples = [
    execution(t('00:00:00'), 'ACTIVE'),
    execution(t('01:00:00'), 'READY'),
    execution(t('01:10:00'), 'ACTIVE'),
    execution(t('02:00:00'), 'READY'),
    execution(t('05:00:00'), 'ACTIVE'),
  ]
  const plant: Partial<OraclePlant> = {
    samples,
    machines: [aMachine({ microstopMs: 600_001 })],
    reasons: [aReason(7, 'Cleaning', true), aReason(8, 'Broken')],
    annotations: [anAnnotation(8, t('02:30:00'), t('03:00:00')), anAnnotation(7, t('03:00:00'), t('03:30:00'))],
    runs: [aRun('r', t('04:00:00'), t('06:00:00'), { startInSetup: true })],
  }

  it('The reason of downtime is that of its annotation, otherwise setup, otherwise uncategorized', () => {
    const answer = ask(plant, { report: 'downtime', groupBy: [{ group: 'reason' }] })
    const minutes = 60_000
    expect(tree(answer.items, 'downtimeMs')).to.equal(
      `8:${30 * minutes} 7:${30 * minutes} setup:${60 * minutes} uncategorized:${70 * minutes}`,
    )
    // Uncategorized: 01:00–01:10 (a microstop), 02:00–02:30, 03:30–04:00.
    expect(tree(answer.items, 'recordCount')).to.equal('8:1 7:1 setup:1 uncategorized:2')
    expect(answer.aggregate).to.deep.equal({ downtimeMs: 190 * minutes, recordCount: 5 })
    expect(answer.entities['reason']?.['setup']).to.deep.equal({ id: 'setup', name: 'Setup', virtual: true })
    expect(
      metrics(plant, [
        'downtime',
        'plannedDowntime',
        'unplannedDowntime',
        'categorizedDowntime',
        'uncategorizedDowntime',
      ]),
    ).to.deep.equal({
      downtime: 190 * minutes,
      plannedDowntime: 90 * minutes,
      unplannedDowntime: 100 * minutes,
      categorizedDowntime: 120 * minutes,
      uncategorizedDowntime: 70 * minutes,
    })
  })

  it('Whether a downtime record is a microstop depends on its whole length, in every bucket', () => {
    const cut = { start: t('02:29:59'), end: t('02:30:00') }
    expect(ask(plant, { report: 'downtime', ...cut }).aggregate).to.deep.equal({ downtimeMs: 1000, recordCount: 1 })
    const running = { nowMs: Date.parse(t('02:10:00')), annotations: [] }
    expect(ask({ ...plant, ...running }, { report: 'downtime' }).aggregate['recordCount']).to.equal(0)
  })
})

describe('oracle: grouping', () => {
  const plant: Partial<OraclePlant> = {
    samples: twoCycles,
    machines: [
      aMachine({ name: 'b', machineGroupIds: ['g2', 'g1'], scheduleId: 's1' }),
      aMachine({ id: 'm2', name: 'a' }),
    ],
    groups: [aMachineGroup({ name: 'x' }), aMachineGroup({ id: 'g2', name: 'y' })],
    schedules: [aSchedule([aShift('late', '18:00', '02:00'), aShift('early', '02:00', '10:00')])],
    operators: [anOperator('ann'), anOperator('bob')],
    operatorRuns: [aSignIn('ann', t('00:00:00'), null), aSignIn('bob', t('01:30:00'), t('03:30:00'))],
  }

  it('Items are ordered by name; a machine counts in each of its groups, and time for each operator', () => {
    expect(grouped(plant, ['machine'], 'allTime')).to.equal(`m2:${24 * hourMs} m1:${24 * hourMs}`)
    expect(grouped(plant, ['machineGroup'], 'timeInCycle')).to.equal(`none:0 g1:${2 * hourMs} g2:${2 * hourMs}`)
    const inCycle = grouped(plant, ['operator'], 'timeInCycle')
    expect(inCycle).to.equal(`none:0 ann:${2 * hourMs} bob:${hourMs}`)
  })

  it('A sign-in ends after operatorMaxHours', () => {
    const only = { filter: { operator: ['ann'] } }
    expect(grouped(plant, ['operator'], 'allTime', only)).to.equal(`ann:${16 * hourMs}`)
  })

  it('Groupings are nested in any order', () => {
    const company = { ...defaultCompanySettings, startOfDay: '06:00' }
    const range = { start: t('01:00:00'), end: t('07:00:00'), filter: { machine: ['m1'] } }
    expect(grouped({ ...plant, company }, ['day', 'shift'], 'allTime', range)).to.equal(
      `0:${5 * hourMs}[early:${4 * hourMs} late:${hourMs}] 1:${hourMs}[early:${hourMs}]`,
    )
    expect(grouped(plant, ['shift', 'hour'], 'timeInCycle', { ...range, end: t('03:00:00') })).to.equal(
      `early:0[1:0] late:${hourMs}[0:${hourMs}]`,
    )
  })

  it('Filters apply to the values of an instant, including `none`, and items show only requested ids', () => {
    const filter = { machineGroup: ['g1'], shift: ['none', 'late'] }
    // Late: 00–02 and 18–24; no shift: 10–18.
    expect(grouped(plant, ['machineGroup', 'shift'], 'allTime', { filter })).to.equal(
      `g1:${16 * hourMs}[none:${8 * hourMs} late:${8 * hourMs}]`,
    )
    expect(grouped(plant, ['machine'], 'allTime', { filter: { machine: [] } })).to.include('m2')
  })

  it('The entities of a report are exactly those of the shown items', () => {
    const answer = ask(plant, { report: 'production', data: [], groupBy: [{ group: 'day' }, { group: 'shift' }] })
    expect(answer.entities).to.deep.equal({
      day: { '0': { start: t('00:00:00.000'), end: '2026-03-03T00:00:00.000Z', shopDate: t('00:00:00.000') } },
      shift: {
        none: { id: 'none', name: 'No Shift', virtual: true },
        late: { id: 'late', name: 'late', scheduleId: 's1', optional: false },
        early: { id: 'early', name: 'early', scheduleId: 's1', optional: false },
      },
    })
  })

  it('A report by hour is limited to the last seven dates', () => {
    const company = { ...defaultCompanySettings, timeZone: 'America/New_York' }
    const request = {
      report: 'production' as const,
      data: [],
      start: '2025-10-01T00:00:00Z',
      end: '2025-11-05T05:00:00Z',
      groupBy: [{ group: 'hour' }],
    }
    // Midnight seven dates before, still in daylight saving time: 169 hours.
    const answer = ask({ company }, request)
    expect(answer.range.start).to.equal('2025-10-29T04:00:00.000Z')
    expect(answer.items).to.have.length(169)
  })

  it('A range of shop days includes its first and last day', () => {
    const company = { ...defaultCompanySettings, timeZone: 'Australia/Lord_Howe', startOfDay: '05:30' }
    const { start: _, end: __, ...rest } = { ...wholeDay, report: 'production' as const, data: [] }
    const answer = oracleReport({
      ...aPlant({ company }),
      request: { ...rest, startDay: '2025-04-05', endDay: '2025-04-06' },
    })
    expect(answer.range).to.deep.equal({ start: '2025-04-04T18:30:00.000Z', end: '2025-04-06T19:00:00.000Z' })
  })
})

describe('oracle: alarm report', () => {
  const plant: Partial<OraclePlant> = {
    samples: [
      condition(t('01:00:00'), 'WARNING', 'A', 'hot'),
      condition(t('03:00:00'), 'FAULT', 'A', 'burning'),
      condition(t('04:30:00'), 'NORMAL', 'A'),
      condition(t('04:40:00'), 'FAULT', 'B', 'open'),
    ],
    machines: [aMachine({ decommissionedAt: t('06:00:00') })],
  }
  const data = ['durationMs', 'minStartTime', 'maxEndTime', 'recordCount', 'machineCount'].map(metric => ({ metric }))

  it("Alarm instances are cut to the range, the machine's time and the bucket", () => {
    const answer = ask(plant, { report: 'alarm', data, start: t('02:00:00') })
    expect(answer.aggregate).to.deep.equal({
      durationMs: 230 * 60_000,
      minStartTime: t('02:00:00.000'),
      maxEndTime: t('06:00:00.000'),
      recordCount: 3,
      machineCount: 1,
    })
    const hours = ask(plant, { report: 'alarm', data, start: t('02:00:00'), groupBy: [{ group: 'hour' }] })
    expect(tree(hours.items, 'recordCount')).to.equal('0:1 1:1 2:2 3:1')
  })

  it('Native codes are grouped by code, message and state, and rejected before filters apply', () => {
    const request = { report: 'alarm' as const, data, groupBy: [{ group: 'nativeCode' }] }
    const ids = [
      nativeCodeId('A', 'burning', 'FAULT'),
      nativeCodeId('A', 'hot', 'WARNING'),
      nativeCodeId('B', 'open', 'FAULT'),
    ]
    expect(ask(plant, request).items.map(it => it.entity.id)).to.deep.equal(ids)
    const answer = ask(plant, { ...request, filter: { state: ['FAULT'] }, reject: { nativeCode: ['B'] } })
    expect(answer.items.map(it => it.entity.id)).to.deep.equal(ids.slice(0, 1))
  })
})
