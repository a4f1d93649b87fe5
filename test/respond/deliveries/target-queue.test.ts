import { expect } from 'chai'
import { array, assert, boolean, constantFrom, nat, property, record } from 'fast-check'
import type { Outcome } from '../../../respond/deliveries/outcome.ts'
import { retryDelayMs } from '../../../respond/deliveries/retry-schedule.ts'
import { type AttemptResult, type QueuedDelivery, TargetQueue } from '../../../respond/deliveries/target-queue.ts'

const startMs = Date.UTC(2026, 10, 27)
const hourMs = 3_600_000
const delivery = (id: string, incidentIds: readonly string[] = [id], createdMs = startMs): QueuedDelivery => ({
  id,
  incidentIds,
  createdMs,
})
const failed: Outcome = { kind: 'failed', error: 'HTTP 500', retryAfterMs: null }
const sent: Outcome = { kind: 'sent', note: null }

/** Attempts what is due until the queue is empty, and skips the time in between. */
function run(queue: TargetQueue, outcomeOf: (id: string, attempt: number) => Outcome, fromMs = startMs) {
  const attempts: { id: string; afterMs: number; remaining: readonly string[] | null; result: AttemptResult }[] = []
  let nowMs = fromMs
  while (queue.size > 0) {
    const next = queue.next(nowMs)
    if (!('delivery' in next)) {
      expect(next.dueMs).to.be.greaterThan(nowMs).and.to.be.lessThan(Infinity)
      nowMs = next.dueMs
      continue
    }
    const { id } = next.delivery
    const attempt = attempts.filter(each => each.id === id).length + 1
    const result = queue.record(next, outcomeOf(id, attempt), nowMs)
    attempts.push({ id, afterMs: nowMs - startMs, remaining: next.remaining, result })
  }
  return attempts
}

function queueOf(...deliveries: readonly QueuedDelivery[]): TargetQueue {
  const queue = new TargetQueue()
  for (const each of deliveries) queue.add(each, startMs)
  return queue
}

describe('the queue of a target', () => {
  it('A delivery that fails is repeated by the schedule, then abandoned', () => {
    const attempts = run(queueOf(delivery('a')), () => failed)
    const seconds = [0, 5, 35, 155, 755, 2_555, 9_755, 27_755, 63_755]
    expect(attempts.map(({ afterMs }) => afterMs / 1_000)).to.deep.equal(seconds)
    expect(attempts.map(({ result }) => result.state)).to.deep.equal([...Array(8).fill('failed'), 'abandoned'])
  })

  it('A delivery is repeated after the time that the receiver requests, at most 10 h', () => {
    const slow: Outcome = { ...failed, retryAfterMs: 60_000 }
    const [, second] = run(queueOf(delivery('a')), (_, attempt) => (attempt === 1 ? slow : sent))
    expect(second?.afterMs).to.equal(60_000)
    const never: Outcome = { ...failed, retryAfterMs: 1_000 * hourMs }
    const [, late] = run(queueOf(delivery('a')), (_, attempt) => (attempt === 1 ? never : sent))
    expect(late?.afterMs).to.equal(10 * hourMs)
  })

  it('A rejected delivery, and one whose receiver is gone, is abandoned immediately', () => {
    const [rejected] = run(queueOf(delivery('a')), () => ({ kind: 'rejected', error: '550' }))
    expect(rejected?.result).to.deep.equal({ state: 'abandoned', error: '550', isGone: false })
    const [gone] = run(queueOf(delivery('a')), () => ({ kind: 'gone', error: 'HTTP 410' }))
    expect(gone?.result).to.deep.equal({ state: 'abandoned', error: 'HTTP 410', isGone: true })
  })

  it('A later delivery of the same incident waits; one of another incident passes', () => {
    const queue = queueOf(delivery('first', ['x', 'y']), delivery('second', ['y', 'z']), delivery('other', ['w']))
    const attempts = run(queue, (id, attempt) => (id === 'first' && attempt < 3 ? failed : sent))
    expect(attempts.map(({ id }) => id)).to.deep.equal(['first', 'other', 'first', 'first', 'second'])
  })

  it('After a restart, the age of a delivery decides how many attempts follow', () => {
    const queue = new TargetQueue()
    queue.add(delivery('a'), startMs + hourMs)
    queue.add(delivery('old'), startMs + 200 * hourMs)
    const attempts = run(queue, () => failed, startMs + 200 * hourMs)
    expect(attempts.filter(({ id }) => id === 'old')).to.have.length(1)
    expect(attempts.filter(({ id }) => id === 'a').map(({ afterMs }) => afterMs / hourMs - 200)).to.deep.equal([
      0, 2, 7, 17,
    ])
  })

  it('Only the addresses that lack the message get it again', () => {
    const partly: Outcome = { ...failed, remaining: ['bob@example.com'] }
    const attempts = run(queueOf(delivery('a')), (_, attempt) => [partly, failed, sent][attempt - 1] ?? sent)
    expect(attempts.map(({ remaining }) => remaining)).to.deep.equal([null, ['bob@example.com'], ['bob@example.com']])
  })

  it('The messages of an incident arrive in order, whatever fails, and each delivery once', () => {
    const random = record({
      incidents: array(constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 }),
      failures: nat(9),
    })
    assert(
      property(array(random, { maxLength: 20 }), all => {
        const deliveries = all.map(({ incidents }, index) => delivery(String(index), incidents))
        const attempts = run(queueOf(...deliveries), (id, attempt) =>
          attempt <= (all[Number(id)]?.failures ?? 0) ? failed : sent,
        )
        const finals = attempts.filter(({ result }) => result.state !== 'failed').map(({ id }) => Number(id))
        expect(finals.toSorted((a, b) => a - b)).to.deep.equal(all.map((_, index) => index))
        for (const incident of ['x', 'y', 'z'] as const) {
          const ofIncident = finals.filter(index => all[index]?.incidents.includes(incident))
          expect(ofIncident).to.deep.equal(ofIncident.toSorted((a, b) => a - b))
        }
      }),
    )
  })
  it('The first due delivery of those that wait for no earlier one is attempted', () => {
    const step = record({
      incidents: array(constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 2 }),
      waitMs: nat(9_000),
      fails: boolean(),
    })
    assert(
      property(array(step, { maxLength: 40 }), steps => {
        const queue = new TargetQueue()
        const naive: { id: string; incidents: readonly string[]; attempts: number; dueMs: number }[] = []
        let nowMs = startMs
        for (const [index, { incidents, waitMs, fails }] of steps.entries()) {
          nowMs += waitMs
          queue.add(delivery(String(index), incidents, nowMs), nowMs)
          naive.push({ id: String(index), incidents, attempts: 0, dueMs: nowMs })
          const isReady = (each: (typeof naive)[number], place: number) =>
            naive.slice(0, place).every(other => !other.incidents.some(id => each.incidents.includes(id)))
          const [first] = naive.filter(isReady).toSorted((a, b) => a.dueMs - b.dueMs)
          if (!first) throw new Error('The first delivery waits for no other one')
          const next = queue.next(nowMs)
          if (!('delivery' in next)) {
            expect(next.dueMs).to.equal(first.dueMs).and.to.be.greaterThan(nowMs)
            continue
          }
          expect(next.delivery.id).to.equal(first.id)
          queue.record(next, fails ? failed : sent, nowMs)
          first.attempts++
          if (fails) first.dueMs = nowMs + (retryDelayMs(first.attempts, null) ?? 0)
          else naive.splice(naive.indexOf(first), 1)
        }
      }),
    )
  })
})
