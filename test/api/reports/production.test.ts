import { expect } from 'chai'
import { metrics } from '../../../schema/metrics.ts'
import { useFreshDatabase } from '../../support/database.ts'
import { sample, store, TestPlant } from './plant-support.ts'
import { wholeBody } from './whole-body.ts'

const midnight = Date.parse('2026-03-02T00:00:00.000Z')
const minute = 60_000
const hour = 60 * minute

describe('production reports', () => {
  const database = useFreshDatabase()

  it('Every metric of a hand-calculated morning has the expected value', async () => {
    // One machine, report from 08:00 to 10:00. In cycle 08:00-08:30 and 09:00-09:15. Scheduled 06:00-10:00 by its shift, and
    // not afterwards. A run in setup 08:00-08:10, then in production; ideal 60 s, expected 120 s per part. 4 + 6 parts counted,
    // times 2; at 09:30 one part rejected, subtracted from the good ones. Downtime 08:30-09:00 has a planned reason.
    const plant = new TestPlant()
    plant.put('schedule', {
      id: 'schedule-1',
      companyId: plant.company.id,
      name: 'Days',
      versions: [
        {
          effectiveFrom: null,
          shifts: [
            {
              id: 'early',
              ref: 5,
              name: 'Early',
              optional: false,
              start: '06:00',
              end: '10:00',
              days: [1, 2, 3, 4, 5, 6, 7],
            },
          ],
        },
      ],
      exceptions: [],
    })
    const machine = plant.machine(7, { scheduleId: 'schedule-1', commissionedAt: '2026-03-02T00:00:00.000Z' })
    plant.put('downtimeReason', {
      id: 3,
      companyId: plant.company.id,
      name: 'Lunch',
      color: '#fff',
      planned: true,
      hidden: false,
    })
    plant.put('annotation', {
      id: 'a1',
      companyId: plant.company.id,
      machineId: machine.id,
      reasonId: 3,
      startAt: '2026-03-02T08:30:00.000Z',
      endAt: '2026-03-02T09:00:00.000Z',
      note: '',
    })
    plant.put('partAdjustment', {
      id: 'p1',
      companyId: plant.company.id,
      machineId: machine.id,
      adjustmentTime: '2026-03-02T09:30:00.000Z',
      categoryId: null,
      message: '',
      scrapCount: 1,
      count: -1,
      rejectBehavior: 'nonconform',
    })
    plant.operation(1, {
      idealPartTime: 60_000,
      expectedPartTime: 120_000,
      expectedSetupTime: 300,
      partCountMultiplier: 2,
      thresholds: { oeeWarning: 0.5 },
    })
    plant.run(9, machine, {
      startInSetup: true,
      startAt: '2026-03-02T08:00:00.000Z',
      productionAt: '2026-03-02T08:10:00.000Z',
      endAt: '2026-03-02T11:00:00.000Z',
    })
    const at = (minutes: number) => midnight + 8 * hour + minutes * minute
    const samples = [
      sample(machine, at(-60), 'EXECUTION', 'READY'),
      sample(machine, at(-60), 'PART_COUNT', 100),
      sample(machine, at(0), 'EXECUTION', 'ACTIVE'),
      sample(machine, at(20), 'PART_COUNT', 104),
      sample(machine, at(30), 'EXECUTION', 'STOPPED'),
      sample(machine, at(60), 'EXECUTION', 'ACTIVE'),
      sample(machine, at(70), 'PART_COUNT', 110),
      sample(machine, at(75), 'EXECUTION', 'READY'),
    ]
    await store(database(), plant.documents(machine, samples, midnight, midnight + 24 * hour))

    const names = Object.keys(metrics)
    const asked = {
      start: '2026-03-02T08:00:00Z',
      end: '2026-03-02T10:30:00Z',
      data: names.map(metric => ({ metric })),
    }
    const reports = plant.reports(database(), () => midnight + 15 * hour)
    const body = await reports.production(plant.company.id, asked)
    expect(body.range).to.deep.equal({ start: '2026-03-02T08:00:00.000Z', end: '2026-03-02T10:30:00.000Z' })
    expect(wholeBody(body).items).to.deep.equal([])
    const scheduled = 110 * minute
    const inCycle = 35 * minute
    const total = 20
    const good = (total - 1) / total
    const idealInCycle = 35
    const oee = (inCycle / scheduled) * (total / idealInCycle) * good
    const expected: Readonly<Record<string, number>> = {
      totalParts: 20,
      goodParts: 19,
      rejectedParts: 1,
      scrapParts: 0,
      nonconformParts: 1,
      scheduledTotalParts: 20,
      scheduledRejectedParts: 1,
      timeInCycle: 45 * minute,
      timeSpindleRotating: 0,
      timeInCut: 0,
      scheduledTimeInCycle: inCycle,
      productionTimeInCycle: inCycle,
      productionDowntime: 105 * minute,
      productionTime: 140 * minute,
      setupTime: 10 * minute,
      scheduledTime: scheduled,
      unscheduledTime: 30 * minute,
      allTime: 150 * minute,
      nonOptionalTime: 120 * minute,
      expectedPartTime: 120_000,
      idealPartTime: 60_000,
      actualPartTime: scheduled / 20,
      expectedSetupTime: 300_000,
      downtime: 75 * minute,
      plannedDowntime: 30 * minute,
      unplannedDowntime: 45 * minute,
      categorizedDowntime: 30 * minute,
      uncategorizedDowntime: 45 * minute,
      scheduledIdealParts: 110,
      inCycleIdealParts: 35,
      scheduledExpectedParts: 55,
      scheduledGoalParts: 20,
      partsGoal: 20 / 55,
      availability: inCycle / scheduled,
      performance: total / idealInCycle,
      quality: good,
      scrapRate: 1 - good,
      oee,
      ooe: (45 / 120) * (total / idealInCycle) * good,
      teep: (45 / 150) * (total / idealInCycle) * good,
      utilizationRate: 45 / 150,
      nonconformRate: 1 / 20,
      idealCoverage: 1,
      averagePartsPerHour: 20 / (110 / 60),
      expectedPartsPerHour: 30,
      idealPartsPerHour: 60,
      partsGoalWarningThreshold: 0.9,
      partsGoalFailureThreshold: 0.75,
      oeeWarningThreshold: 0.5,
      oeeFailureThreshold: 0.6,
      utilizationWarningThreshold: 0.6,
      utilizationFailureThreshold: 0.4,
      minStartTime: at(0),
      maxEndTime: at(150),
    }
    expect(Object.keys(body.aggregate)).to.deep.equal(names)
    for (const name of names) {
      const value = body.aggregate[name]
      expect(value, name).to.be.closeTo(expected[name] ?? NaN, 1e-9)
    }

    const explanation = await reports.explanation(plant.company.id, asked)
    expect(explanation.range).to.deep.equal(body.range)
    for (const name of names) expect(Reflect.get(explanation.metrics, name).value, name).to.equal(body.aggregate[name])
    expect(explanation.metrics.availability).to.deep.include({
      formula: 'workedInCycleMs / workedMs',
      sums: ['workedInCycleMs', 'workedMs'],
      unit: 'ratio',
    })
    expect(explanation.sums.workedInCycleMs).to.deep.include({ value: inCycle, unit: 'ms' })
    expect(explanation.sums.workedMs).to.deep.include({ value: scheduled, unit: 'ms' })
    expect(explanation.sums.idealActualParts).to.deep.include({ value: total, unit: 'parts' })
  })
})
