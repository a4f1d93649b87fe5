import { expect } from 'chai'
import { array, assert, constantFrom, nat, property, record } from 'fast-check'
import { planDeliveries, type PlanInputs, type PlannedDelivery } from '../../../respond/deliveries/plan-deliveries.ts'
import type { WaitingNotice } from '../../../respond/deliveries/waiting-notice.ts'

const startMs = Date.UTC(2026, 10, 27, 6, 30)
const noticeOf = (incidentId: string, changes: Partial<WaitingNotice> = {}): WaitingNotice => ({
  incidentId,
  reopened: 0,
  ruleId: 'stops',
  event: 'incident.opened',
  step: 1,
  repeat: 0,
  readyMs: startMs,
  ...changes,
})
const flood = (count: number, changes: Partial<WaitingNotice> = {}) =>
  Array.from({ length: count }, (_, index) => noticeOf(`${changes.ruleId ?? 'stops'} ${index}`, changes))
const plan = (notices: readonly WaitingNotice[], inputs: Partial<PlanInputs> = {}) =>
  planDeliveries({
    targetId: 'target',
    notices,
    collectMs: 5_000,
    perMinute: 60,
    created: [],
    nowMs: startMs + 5_000,
    ...inputs,
  })
const shapeOf = (deliveries: readonly PlannedDelivery[]) =>
  deliveries.map(({ event, ruleId, notices }) => [event, ruleId, notices.length])

describe('collection of notices', () => {
  it('500 machines that stop in the same second are one mail; a second cause is another one', () => {
    const later = flood(1, { ruleId: 'fire', readyMs: startMs + 500 })
    const notices = [...flood(250), ...later, ...flood(500, { readyMs: startMs + 900 }).slice(250)]
    expect(plan(notices, { nowMs: startMs + 4_999 })).to.deep.equal({ due: [], nextMs: startMs + 5_000 })
    const { due, nextMs } = plan(notices)
    expect(shapeOf(due)).to.deep.equal([['incident.opened', 'stops', 500]])
    expect(nextMs).to.equal(startMs + 5_500)
    expect(shapeOf(plan(later, { nowMs: startMs + 5_500 }).due)).to.deep.equal([['incident.opened', 'fire', 1]])
  })

  it('Notices that are ready later than the time of collection are another mail', () => {
    const notices = [
      noticeOf('a'),
      noticeOf('b', { readyMs: startMs + 4_999 }),
      noticeOf('c', { readyMs: startMs + 5_000 }),
    ]
    const { due } = plan(notices, { nowMs: startMs + 60_000 })
    expect(due.map(({ notices: each }) => each.map(({ incidentId }) => incidentId))).to.deep.equal([['a', 'b'], ['c']])
  })

  it('A notice does not join a mail that began before an earlier notice of its incident', () => {
    const resolved = { event: 'incident.resolved' } as const
    const notices = [
      noticeOf('a', resolved),
      noticeOf('b', { readyMs: startMs + 1 }),
      noticeOf('b', { ...resolved, readyMs: startMs + 2 }),
    ]
    const { due } = plan(notices, { nowMs: startMs + 60_000 })
    expect(due.map(({ event, notices: each }) => [event, each[0]?.incidentId])).to.deep.equal([
      ['incident.resolved', 'a'],
      ['incident.opened', 'b'],
      ['incident.resolved', 'b'],
    ])
  })

  it('Without collection, each notice is a delivery; those beyond the limit are one summary at the end of the minute', () => {
    const { due, nextMs } = plan(flood(500), { collectMs: 0 })
    expect(due).to.have.length(45)
    expect(nextMs).to.equal(startMs + 60_000)
    const rest = flood(500).slice(45)
    expect(plan(rest, { collectMs: 0, created: due }).due).to.deep.equal([])
    const { due: summaries } = plan(rest, { collectMs: 0, created: due, nowMs: startMs + 60_000 })
    expect(shapeOf(summaries)).to.deep.equal([['incident.summary', null, 455]])
  })

  it('A second cause in the middle of a flood is delivered', () => {
    const notices = [
      ...flood(300),
      ...flood(20, { ruleId: 'fire' }),
      ...flood(300, { readyMs: startMs + 1 }).slice(150),
    ]
    const { due } = plan(notices, { collectMs: 0 })
    expect(due.filter(({ ruleId }) => ruleId === 'fire')).to.have.length(15)
    expect(due).to.have.length(60)
  })

  it('The summary of a minute precedes the deliveries of the next minute, and has an id of its own', () => {
    const notices = [...flood(2), ...flood(2, { event: 'incident.resolved', readyMs: startMs + 60_000 })]
    const { due } = plan(notices, { collectMs: 0, perMinute: 1, nowMs: startMs + 120_000 })
    expect(due.map(({ event }) => event)).to.deep.equal([
      'incident.opened',
      'incident.summary',
      'incident.resolved',
      'incident.summary',
    ])
    expect(new Set(due.map(({ id }) => id)).size).to.equal(4)
  })
})

const randomNotice = record({
  incidentId: constantFrom('a', 'b', 'c', 'd', 'e'),
  ruleId: constantFrom('r1', 'r2'),
  event: constantFrom('incident.opened' as const, 'incident.escalated' as const, 'incident.resolved' as const),
  afterMs: nat(20_000),
})

/** Creates the deliveries step by step, at random instants, as a process does that may crash before each creation. */
function deliverInSteps(
  notices: readonly WaitingNotice[],
  steps: readonly { readonly afterMs: number; readonly creates: number }[],
  inputs: Pick<PlanInputs, 'collectMs' | 'perMinute'>,
): readonly PlannedDelivery[] {
  const created: PlannedDelivery[] = []
  let nowMs = startMs
  const last = Array.from({ length: 3 }, () => ({ afterMs: 3_600_000, creates: Infinity }))
  for (const { afterMs, creates } of [...steps, ...last]) {
    nowMs += afterMs
    const delivered = new Set(created.flatMap(({ notices: each }) => each))
    const waiting = notices.filter(notice => notice.readyMs <= nowMs && !delivered.has(notice))
    created.push(...plan(waiting, { ...inputs, created, nowMs }).due.slice(0, creates))
  }
  return created
}

describe('random notices', () => {
  it('Each notice is in one delivery, in the order of its incident, whenever deliveries are created', () => {
    assert(
      property(
        array(randomNotice, { maxLength: 60 }),
        array(record({ afterMs: nat(8_000), creates: nat(5) }), { maxLength: 30 }),
        constantFrom(0, 5_000),
        constantFrom(2, 5, 60),
        (random, steps, collectMs, perMinute) => {
          let readyMs = startMs
          const notices = random.map(({ incidentId, ruleId, event, afterMs }) =>
            // An incident has one rule.
            noticeOf(`${ruleId}${incidentId}`, { ruleId, event, readyMs: (readyMs += afterMs) }),
          )
          const created = deliverInSteps(notices, steps, { collectMs, perMinute })
          const delivered = created.flatMap(({ notices: each }) => each)
          expect(delivered).to.have.length(notices.length)
          expect(new Set(delivered).size).to.equal(notices.length)
          for (const id of new Set(notices.map(({ incidentId }) => incidentId))) {
            const ofIncident = (each: readonly WaitingNotice[]) => each.filter(({ incidentId }) => incidentId === id)
            expect(ofIncident(delivered)).to.deep.equal(ofIncident(notices))
          }
          for (const { event, notices: each } of created) {
            if (event === 'incident.summary') continue
            expect(new Set(each.map(({ incidentId }) => incidentId)).size).to.equal(each.length)
            expect(new Set(each.map(({ ruleId, event: own }) => `${ruleId} ${own}`)).size).to.equal(1)
            const times = each.map(({ readyMs: at }) => at)
            expect(Math.max(...times) - Math.min(...times)).to.be.at.most(collectMs)
          }
          const minutes = created
            .filter(({ event }) => event !== 'incident.summary')
            .map(({ dueMs }) => Math.floor(dueMs / 60_000))
          for (const minute of new Set(minutes))
            expect(minutes.filter(each => each === minute).length).to.be.at.most(perMinute)
        },
      ),
      { numRuns: 500 },
    )
  })
})
