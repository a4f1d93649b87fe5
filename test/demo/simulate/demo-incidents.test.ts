import { expect } from 'chai'
import { demoActions } from '../../../demo/simulate/demo-actions.ts'
import { demoIncidents } from '../../../demo/simulate/demo-incidents.ts'
import { callRule, faultRule } from '../../../demo/simulate/demo-records.ts'
import { createPlant } from '../../../demo/simulate/plant.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'

const toMs = Date.parse('2024-05-09T13:20:00Z')
const fromMs = toMs - 60 * hourMs
const plants = [1, 5, 7, 42].flatMap(seed => [12, 24].map(machines => createPlant({ seed, machines, isDaily: true })))

describe('incidents of a simulated plant', () => {
  it('Two calls of the last minutes are unresolved, one of which is acknowledged', () => {
    for (const plant of plants) {
      const open = demoIncidents(plant, fromMs, toMs).filter(({ resolvedAt }) => resolvedAt === null)
      expect(open.map(({ state, kind, endedAt }) => [state, kind, endedAt])).to.deep.equal([
        ['acknowledged', 'call', null],
        ['open', 'call', null],
      ])
      for (const { startedAt, acknowledgedAt } of open) {
        expect(toMs - Date.parse(startedAt)).to.be.within(minuteMs, 15 * minuteMs)
        if (acknowledgedAt !== null) expect(Date.parse(acknowledgedAt)).to.be.below(toMs)
      }
    }
  })

  it('The history contains about ten incidents and some calls that are over', () => {
    for (const plant of plants) {
      const incidents = demoIncidents(plant, fromMs, toMs).filter(({ resolvedAt }) => resolvedAt !== null)
      const [faults, calls] = [faultRule, callRule].map(({ id }) => incidents.filter(({ ruleId }) => ruleId === id))
      expect(faults).to.have.length.within(6, 10)
      expect(calls).to.have.length.within(2, 4)
      for (const { state, startedAt, openedAt, acknowledgedAt, endedAt, resolvedAt } of incidents) {
        expect(state).to.equal('resolved')
        expect(Date.parse(startedAt)).to.be.at.least(fromMs)
        expect(openedAt >= startedAt).to.equal(true)
        expect(acknowledgedAt === null || (acknowledgedAt >= openedAt && acknowledgedAt <= String(endedAt))).to.equal(
          true,
        )
        expect(resolvedAt).to.equal(endedAt)
        expect(Date.parse(String(endedAt))).to.be.below(toMs)
      }
      expect(new Set(incidents.map(({ id }) => id)).size).to.equal(incidents.length)
    }
  })

  it('Most incidents are acknowledged, by several operators', () => {
    const all = plants.flatMap(plant => demoIncidents(plant, fromMs, toMs))
    const people = all.flatMap(({ acknowledgedBy }) => acknowledgedBy?.name ?? [])
    expect(people.length / all.length).to.be.within(0.7, 0.99)
    expect(new Set(people).size).to.be.above(2)
  })

  it('About 70 % of the stops of a simulated plant have a reason', () => {
    for (const plant of plants) {
      let [stops, reasons] = [0, 0]
      for (const { index } of plant.machines) {
        const noted = new Set(
          demoActions(plant, index, fromMs, toMs).flatMap(act => (act.kind === 'annotate' ? [act.startMs] : [])),
        )
        for (let dayMs = fromMs - (fromMs % (24 * hourMs)); dayMs < toMs; dayMs += 24 * hourMs)
          for (const { kind, startMs, endMs } of plant.phases(index, dayMs)) {
            const isStop = (kind === 'idle' || kind === 'fault') && endMs - startMs >= 2 * minuteMs
            if (!isStop || startMs < fromMs || endMs >= toMs) continue
            stops += 1
            if (noted.has(startMs)) reasons += 1
          }
      }
      expect(reasons / stops).to.be.within(0.63, 0.77)
    }
  })
})
