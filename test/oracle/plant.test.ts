import { expect } from 'chai'
import * as fc from 'fast-check'
import { viewMachine } from './machine.ts'
import { expectSameReport, oracleReport, productionMetricNames } from './oracle.ts'
import type { Aggregate, ReportItem } from './oracle.ts'
import { arbitraryCase, arbitraryPlant, arbitraryPlantWithRequests } from './plant.ts'

const runs = { numRuns: 40 }
const production = { report: 'production' as const, data: productionMetricNames.map(metric => ({ metric })) }

function value(aggregate: Aggregate, name: string): number {
  const found = aggregate[name]
  if (typeof found !== 'number') throw new Error(`${name} is ${String(found)}`)
  return found
}

/** Returns the range of days around all samples of the plant. */
function about(samples: readonly { readonly timestamp: string }[]) {
  const instants = samples.map(it => Date.parse(it.timestamp)).filter(it => !Number.isNaN(it))
  const middleMs = instants[Math.floor(instants.length / 2)] ?? 0
  return {
    start: new Date(middleMs - 3 * 86_400_000).toISOString(),
    end: new Date(middleMs + 3 * 86_400_000).toISOString(),
  }
}

describe('oracle: random plants', function () {
  it('The metrics of a random plant satisfy the identities of their definitions', () => {
    fc.assert(
      fc.property(arbitraryPlant(), plant => {
        const { aggregate } = oracleReport({ ...plant, request: { ...production, ...about(plant.samples) } })
        const sums = {
          allTime: ['setupTime', 'scheduledTime', 'unscheduledTime'],
          downtime: ['plannedDowntime', 'unplannedDowntime'],
          totalParts: ['goodParts', 'rejectedParts'],
          rejectedParts: ['scrapParts', 'nonconformParts'],
          productionTime: ['productionTimeInCycle', 'productionDowntime'],
        }
        for (const [whole, parts] of Object.entries(sums)) {
          const sum = parts.reduce((total, it) => total + value(aggregate, it), 0)
          expect(sum, whole).to.be.closeTo(value(aggregate, whole), 1e-6)
        }
        const categorized = value(aggregate, 'categorizedDowntime') + value(aggregate, 'uncategorizedDowntime')
        expect(categorized).to.equal(value(aggregate, 'downtime'))
      }),
      runs,
    )
  })

  it('The report of a random plant does not depend on the arrival order of its samples', () => {
    const shuffled = arbitraryCase().chain(it =>
      fc
        .shuffledSubarray([...it.samples], { minLength: it.samples.length })
        .map(samples => ({ given: it, arrived: { ...it, samples: [...samples, ...samples.slice(0, 9)] } })),
    )
    fc.assert(
      fc.property(shuffled, ({ given, arrived }) => expectSameReport(oracleReport(arrived), oracleReport(given))),
      runs,
    )
  })

  it('The production and downtime reports of a random plant have equal downtime', () => {
    fc.assert(
      fc.property(arbitraryPlantWithRequests(), ({ plant, requests }) => {
        for (const { data: _, reject: __, ...request } of requests.filter(it => it.report === 'downtime')) {
          if (request.groupBy?.some(it => it.group === 'reason') || request.filter?.['reason']) continue
          const downtime = oracleReport({ ...plant, request }).aggregate
          const asked = { ...production, ...request, report: production.report }
          const metrics = oracleReport({ ...plant, request: asked }).aggregate
          expect(downtime['downtimeMs']).to.equal(metrics['downtime'])
        }
      }),
      runs,
    )
  })

  it('The hours, days and machines of a random plant add up to its totals', () => {
    const names = ['allTime', 'timeInCycle', 'downtime', 'scheduledTotalParts', 'expectedSetupTime']
    const data = names.map(metric => ({ metric }))
    const total = (items: readonly ReportItem[], name: string) =>
      items.reduce((sum, it) => sum + value(it.aggregate, name), 0)
    fc.assert(
      fc.property(arbitraryPlant(), plant => {
        for (const group of ['hour', 'day', 'week', 'machine', 'shift', 'jobOperationRun']) {
          const request = { report: 'production' as const, data, groupBy: [{ group }], ...about(plant.samples) }
          const { aggregate, items } = oracleReport({ ...plant, request })
          for (const name of names)
            expect(total(items, name), `${group} ${name}`).to.be.closeTo(value(aggregate, name), 1e-6)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('The state of a random plant changes only between elements', () => {
    const asked = arbitraryPlant().chain(plant =>
      fc.record({ plant: fc.constant(plant), share: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
    )
    fc.assert(
      fc.property(asked, ({ plant, share }) => {
        const { start, end } = about(plant.samples)
        const over = { startMs: Date.parse(start), endMs: Date.parse(end) }
        for (const machine of plant.machines) {
          const view = viewMachine(plant, machine, over)
          for (const { startMs, endMs, moment } of view.elements(over))
            expect(view.momentAt(startMs + Math.floor((endMs - startMs) * share))).to.deep.equal(moment)
        }
      }),
      { numRuns: 10 },
    )
  })

  it('A random plant can end at the real clock, and its ids can have a tag', () => {
    const nowMs = Date.now()
    fc.assert(
      fc.property(arbitraryCase({ nowMs, tag: 7 }), it => {
        expect(it.nowMs).to.equal(nowMs)
        expect(it.machines.every(machine => machine.id.includes('-0007-'))).to.equal(true)
        const latestMs = Math.max(
          0,
          ...it.samples.map(sample => Date.parse(`${sample.timestamp.slice(0, 10)}T00:00:00Z`)),
        )
        expect(latestMs).to.be.lessThan(nowMs)
        expect(oracleReport(it).range.end <= new Date(nowMs).toISOString()).to.equal(true)
      }),
      runs,
    )
  })
})
