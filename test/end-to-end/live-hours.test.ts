import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Health } from '../../schema/requests/health.ts'
import { hourMs, minuteMs, secondMs, slotOf } from '../../shared/time/units.ts'
import { type ChildService, startChild } from '../support/child-service.ts'

/** In full: 300 machines and 90 days. */
const machineCount = Number(process.env['TAKT_LIVE_HOURS_MACHINES'] ?? 30)
const historyHours = Number(process.env['TAKT_LIVE_HOURS_HOURS'] ?? 10 * 24)
const pollingMs = 40 * secondMs
/** Reports may lack what was posted later than this long ago. */
const graceMs = 15 * secondMs
/** Reports are compared if the live lag is below this: its measurement may be some seconds old on a busy machine. */
const comparedBelowS = 10
const catchUpMs = 300_000

interface Value {
  readonly atMs: number
  readonly active: boolean
}

interface Post {
  readonly values: readonly Value[]
  /** When the response arrived, UTC ms; Infinity before. */
  acceptedMs: number
}

interface MachineReport {
  readonly items: readonly {
    readonly entity: { readonly id: string }
    readonly aggregate: { readonly timeInCycle: number }
  }[]
}

/** Time in cycle of [fromMs, toMs) by the posted values: each lasts until the next one. */
function timeInCycle(posts: readonly Post[], fromMs: number, toMs: number): number {
  const inOrder = posts.flatMap(({ values }) => values).sort((a, b) => a.atMs - b.atMs)
  return inOrder.reduce((sum, { atMs, active }, index) => {
    const endMs = Math.min(toMs, inOrder[index + 1]?.atMs ?? Infinity)
    return sum + (active ? Math.max(0, endMs - Math.max(fromMs, atMs)) : 0)
  }, 0)
}

/** Returns the posts that a report up to `toMs` must include, with each choice of those that it may include, too. */
function possiblePosts(posts: readonly Post[], toMs: number): readonly (readonly Post[])[] {
  const known = posts.filter(({ acceptedMs }) => acceptedMs <= toMs)
  const open = posts.filter(({ acceptedMs, values }) => acceptedMs > toMs && values.some(({ atMs }) => atMs < toMs))
  return open.reduce<readonly (readonly Post[])[]>(
    (choices, post) => choices.flatMap(choice => [choice, [...choice, post]]),
    [known],
  )
}

describe('live hours of a plant whose history is imported', () => {
  let service: ChildService
  const posted = new Map<string, Post[]>()

  before(async () => {
    service = await startChild({})
  })

  after(() => service.kill())

  async function post(machineId: string, values: readonly Value[]): Promise<void> {
    const samples = values.map(({ atMs, active }) => ({
      timestamp: new Date(atMs).toISOString(),
      key: 'execution',
      type: 'EXECUTION',
      value: active ? 'ACTIVE' : 'READY',
    }))
    const added = { values, acceptedMs: Infinity }
    posted.get(machineId)?.push(added)
    const { status } = await service.call('POST', '/ingest/samples', { machineId, samples })
    expect(status).to.equal(202)
    added.acceptedMs = Date.now()
  }

  async function postHistory(): Promise<void> {
    const currentMs = slotOf(Date.now())
    for (const machineId of posted.keys()) {
      const values = Array.from({ length: historyHours }, (_, hour) => ({
        atMs: currentMs - (historyHours - hour) * hourMs + minuteMs,
        active: hour % 2 === 1,
      }))
      await post(machineId, values)
    }
  }

  async function readLiveLagS(): Promise<number> {
    const { body } = await service.call('GET', '/health')
    const { liveLag }: Health = JSON.parse(JSON.stringify(body))
    return liveLag.seconds
  }

  /** Compares the report up to `toMs` with what had been posted by then; later posts may be included, too. */
  async function expectCurrentHour(toMs: number): Promise<void> {
    const fromMs = slotOf(toMs)
    const response = await service.call('POST', '/reports/production', {
      start: new Date(fromMs).toISOString(),
      end: new Date(toMs).toISOString(),
      groupBy: [{ group: 'machine' }],
      data: [{ metric: 'timeInCycle' }],
    })
    const report: MachineReport = JSON.parse(JSON.stringify(response.body))
    const reported = new Map(report.items.map(({ entity, aggregate }) => [entity.id, aggregate.timeInCycle]))
    for (const [machineId, posts] of posted) {
      const right = possiblePosts(posts, toMs).map(each => timeInCycle(each, fromMs, toMs))
      expect(right, `machine ${machineId} at ${new Date(toMs).toISOString()}`).to.include(reported.get(machineId) ?? 0)
    }
  }

  it('Whenever the live lag is below 10 s, the current hour of every machine includes what was posted 15 s earlier', async () => {
    const commissionedAt = new Date(slotOf(Date.now()) - historyHours * hourMs).toISOString()
    const machines = Array.from({ length: machineCount }, () => randomUUID())
    for (const id of machines) {
      posted.set(id, [])
      const { status } = await service.call('PUT', `/machines/${id}`, { name: id, commissionedAt })
      expect(status).to.be.below(300)
    }
    let historyPostedMs = Infinity
    const history = postHistory().then(() => (historyPostedMs = Date.now()))
    let compared = 0
    const pollUntilMs = Date.now() + pollingMs
    const catchUpUntilMs = pollUntilMs + catchUpMs
    for (let round = 0; Date.now() < pollUntilMs || (compared === 0 && Date.now() < catchUpUntilMs); round++) {
      for (const id of machines) await post(id, [{ atMs: Date.now(), active: round % 2 === 0 }])
      const toMs = Date.now() - graceMs
      if ((await readLiveLagS()) < comparedBelowS) {
        await expectCurrentHour(toMs)
        if (toMs > historyPostedMs) compared++
      }
      await sleep(secondMs)
    }
    await history
    expect(compared, 'comparisons after the history was posted').to.be.greaterThan(0)
  })
})
