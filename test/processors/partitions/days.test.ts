import { expect } from 'chai'
import type { DocumentStore } from '../../../schema/document-store.ts'
import { stateSamplesPartition } from '../../../schema/topics.ts'
import { freshDatabase, type TestDatabase } from '../../support/database.ts'
import { storedDays } from '../../support/day-documents.ts'
import { dayMs, DayWorld, computeAll, computeDirtyHours, messageOf, passMessage } from './day-world.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

/** A Monday. The clocks in Berlin go forward on the Sunday before it. */
const firstMs = Date.UTC(2026, 2, 28, 5)
const berlin = { timeZone: 'Europe/Berlin', startOfDay: '06:00' } as const
const kolkata = { timeZone: 'Asia/Kolkata', startOfDay: '06:00' } as const

/** Methods that write to the store. */
const writes = [
  'writeSamples',
  'writeSeen',
  'writeDocuments',
  'writeCoverage',
  'writeStaleDays',
  'buildDays',
] as const satisfies readonly (keyof DocumentStore)[]

/** Takes over a partition; returns a function that runs the given work once, after the next days are stored. */
async function interruptible(world: DayWorld) {
  let interrupt = async () => {}
  const owner = await world.takeOver({
    store: world.documents(store => ({
      ...store,
      async buildDays(...args) {
        const tookMs = await store.buildDays(...args)
        const now = interrupt
        interrupt = async () => {}
        await now()
        return tookMs
      },
    })),
  })
  const interruptOnce = (work: () => Promise<void>) => void (interrupt = work)
  return { owner, interruptOnce }
}

/** Returns a store that calls `before` and `after` around each write. */
function watched(store: DocumentStore, before: () => Promise<void>, after: () => Promise<void>): DocumentStore {
  const around =
    (name: (typeof writes)[number]) =>
    async (...args: readonly unknown[]) => {
      await before()
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- passed on as they came
      const answer = await (store[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
      await after()
      return answer
    }
  return { ...store, ...Object.fromEntries(writes.map(name => [name, around(name)])) }
}

describe('day documents of a partition', function () {
  let database: TestDatabase
  beforeEach(async () => {
    database = await freshDatabase()
  })
  afterEach(() => database.drop())

  /** Creates a world of three whole days and part of a fourth, with machines that change state every few hours. */
  async function aWorld(settings: typeof berlin | typeof kolkata = berlin, machines = 2) {
    const world = new DayWorld(database.store, firstMs + 3 * dayMs + 2 * hourMs, settings)
    const { plant } = world
    const list = Array.from({ length: machines }, (_, i) =>
      plant.machine(world.companyRef * 1000 + i + 1, {
        commissionedAt: new Date(firstMs).toISOString(),
        createdAt: new Date(firstMs).toISOString(),
      }),
    )
    /**
     * Sends each sample in a message of its own: all messages in one call, or with `isOneByOne` one call for each
     * message.
     */
    const samplesOf = async (owner: Awaited<ReturnType<DayWorld['takeOver']>>, { isOneByOne = false } = {}) => {
      const messages = list.flatMap((machine, i) =>
        [1, 4, 20, 21, 30, 46, 60].map((hours, nth) =>
          messageOf(machine, { [firstMs + hours * hourMs + i]: nth % 2 === 0 ? 'ACTIVE' : 'READY' }),
        ),
      )
      for (const some of isOneByOne ? messages.map(message => [message]) : [messages]) await owner.consume(some)
    }
    return { world, machines: list, machine: must(list[0]), samplesOf }
  }

  it('Closed days are built five minutes after their end and contain facts and reasons', async () => {
    for (const settings of [berlin, kolkata]) {
      const { world, samplesOf } = await aWorld(settings)
      const owner = await world.takeOver()
      await samplesOf(owner)
      await computeDirtyHours(owner)
      expect((await world.see(firstMs)).covered).to.deep.equal([])
      await computeAll(owner)
      const days = world.days(firstMs)
      expect((await world.see(firstMs)).covered).to.deep.equal(days.slice(0, -1))
      // The next day is closed a few minutes after its end.
      const lastMs = days.at(-1)?.endMs ?? 0
      world.nowMs = lastMs + 4 * minuteMs
      await computeAll(owner)
      expect((await world.see(firstMs)).covered).to.have.length(days.length - 1)
      world.nowMs = lastMs + 5 * minuteMs
      await computeAll(owner)
      expect((await world.see(firstMs)).covered).to.deep.equal(days)
      const documents = await storedDays(
        world.store,
        asCompanyRef(world.companyRef),
        days[1] ?? { startMs: 0, endMs: 0 },
      )
      expect(
        [...documents.values()].flatMap(({ facts, reasons }) => [facts, reasons]).every(list => list.length > 0),
      ).to.equal(true)
    }
  })

  it('The shop day on which clocks go forward has 23 hours', async () => {
    const { world, samplesOf } = await aWorld()
    const owner = await world.takeOver()
    await samplesOf(owner)
    await computeAll(owner)
    const lengths = (await world.see(firstMs)).covered.map(({ startMs, endMs }) => (endMs - startMs) / hourMs)
    expect(lengths).to.deep.equal([23, 24, 24])
  })

  it('A day is stale from before a late sample is stored until its day document is rebuilt', async () => {
    const { world, machine, samplesOf } = await aWorld()
    const states = new Set<string>()
    const look = async () => {
      const { covered, stale } = await world.see(firstMs)
      states.add(`${covered.length}/${stale.length}`)
    }
    const owner = await world.takeOver({ store: world.documents(store => watched(store, look, look)) })
    await samplesOf(owner, { isOneByOne: true })
    await computeAll(owner)
    await passMessage(owner, machine, aPause(firstMs + dayMs + 7 * hourMs))
    await computeAll(owner)
    const [, second] = world.days(firstMs)
    expect((await world.see(firstMs)).stale.map(({ startMs }) => startMs)).to.deep.equal([second?.startMs])
    expect(owner.days.staleDays).to.equal(1)
    world.nowMs += minuteMs
    await computeAll(owner)
    expect(await world.see(firstMs)).to.deep.include({ stale: [] })
    expect(owner.days.staleDays).to.equal(0)
    expect([...states].sort()).to.deep.equal(['0/0', '3/0', '3/1'])
  })

  type Plant = Awaited<ReturnType<typeof aWorld>>['world']
  type Interruptible = Awaited<ReturnType<typeof interruptible>>

  /** Sends a late sample of a stale day when the owner first works on stale days, after `before`. */
  async function interruptedByLateSample(
    before: (world: Plant, owner: Interruptible['owner']) => Promise<unknown> = async () => undefined,
  ) {
    const { world, machine, samplesOf } = await aWorld()
    const late = firstMs + dayMs + 7 * hourMs
    const { owner, interruptOnce } = await interruptible(world)
    await samplesOf(owner)
    await computeAll(owner)
    await passMessage(owner, machine, aPause(late))
    await computeDirtyHours(owner)
    world.nowMs += minuteMs
    interruptOnce(async () => {
      await before(world, owner)
      await passMessage(owner, machine, aPause(late + hourMs))
      await computeDirtyHours(owner)
    })
    return { world, owner }
  }

  it('A day stays stale if another late sample arrives while the day document is rebuilt', async () => {
    const { world, owner } = await interruptedByLateSample()
    await computeAll(owner)
    expect((await world.see(firstMs)).stale).to.not.deep.equal([])
    world.nowMs += minuteMs
    await computeAll(owner)
    expect((await world.see(firstMs)).stale).to.deep.equal([])
  })

  it('A day stays stale if the time zone changes and a late sample arrives during the rebuild', async () => {
    // Paris has the same days as Berlin, so they stay covered.
    const { world, owner } = await interruptedByLateSample((plant, own) =>
      plant.changeSettings({ timeZone: 'Europe/Paris' }, [own]),
    )
    await owner.workOnDays()
    const { covered, stale } = await world.see(firstMs)
    expect(covered).to.have.length(3)
    expect(stale).to.not.deep.equal([])
    world.nowMs += minuteMs
    await computeAll(owner)
    expect((await world.see(firstMs)).stale).to.deep.equal([])
  })

  it('A sample that arrives while a day is first built makes that day stale', async () => {
    const { world, machine, samplesOf } = await aWorld()
    const { owner, interruptOnce } = await interruptible(world)
    await samplesOf(owner)
    interruptOnce(async () => {
      await passMessage(owner, machine, aPause(firstMs + dayMs + 7 * hourMs))
      await computeDirtyHours(owner)
    })
    await computeAll(owner)
    expect((await world.see(firstMs)).stale).to.not.deep.equal([])
  })

  it('Day documents equal their hours after a crash before or after any write of late data', async () => {
    const { world, machine, samplesOf } = await aWorld()
    const owner = await world.takeOver()
    await samplesOf(owner)
    await computeAll(owner)
    let isThrough = false
    for (let crashAt = 1; !isThrough; crashAt++) {
      for (const when of ['before', 'after'] as const) {
        let left = crashAt
        const crash = (at: typeof when) => async () => {
          if (at === 'before') left--
          if (left <= 0 && at === when) throw new Error('crashed')
        }
        const store = world.documents(store => watched(store, crash('before'), crash('after')))
        const late = firstMs + dayMs + 7 * hourMs + (2 * crashAt + Number(when === 'after')) * minuteMs
        isThrough = await ends(async () => {
          const crashing = await world.takeOver({ store })
          await passMessage(crashing, machine, aPause(late))
          await computeAll(crashing)
          world.nowMs += minuteMs
          await computeAll(crashing)
        })
        await world.see(firstMs)

        const next = await world.takeOver()
        await world.see(firstMs)
        await computeDirtyHours(next)
        world.nowMs += minuteMs
        await computeAll(next)
        expect((await world.see(firstMs)).stale).to.deep.equal([])
        // Samples whose offset was not committed are sent again.
        await passMessage(next, machine, aPause(late))
        await computeDirtyHours(next)
        await world.see(firstMs)
        world.nowMs += minuteMs
        await computeAll(next)
        const { covered, stale } = await world.see(firstMs)
        expect([covered.length, stale], `${crashAt}, ${when}`).to.deep.equal([3, []])
      }
    }
  })

  it('Covered days follow the current day boundaries when the time zone changes and changes back', async () => {
    const { world, machine, samplesOf } = await aWorld()
    const look = async () => {
      await world.see(firstMs - dayMs)
    }
    const owner = await world.takeOver({ store: world.documents(store => watched(store, look, look)) })
    await samplesOf(owner, { isOneByOne: true })
    await computeAll(owner)
    expect((await world.see(firstMs)).covered).to.have.length(3)

    await world.changeSettings(kolkata, [owner])
    await passMessage(owner, machine, aPause(firstMs + dayMs + 7 * hourMs))
    await computeDirtyHours(owner)
    await world.changeSettings(berlin, [owner])
    // Days with Berlin's boundaries were built before, and hours have changed since.
    await passMessage(owner, machine, aPause(firstMs + dayMs + 8 * hourMs))
    expect((await world.see(firstMs)).covered).to.deep.equal([])
    await computeDirtyHours(owner)
    expect((await world.see(firstMs)).covered).to.deep.equal([])
    world.nowMs += minuteMs
    await computeAll(owner)
    expect(await world.see(firstMs)).to.deep.include({ stale: [] })
    expect((await world.see(firstMs)).covered).to.have.length(3)
  })

  it('Coverage is withdrawn if the start of day changed while no process owned the partition', async () => {
    const { world, samplesOf } = await aWorld()
    const owner = await world.takeOver()
    await samplesOf(owner)
    await computeAll(owner)
    await world.changeSettings({ startOfDay: '00:00' }, [])
    const next = await world.takeOver()
    await world.changeSettings({}, [next])
    await computeDirtyHours(next)
    expect((await world.see(firstMs)).covered).to.deep.equal([])
    await world.changeSettings(berlin, [next])
    await computeDirtyHours(next)
    expect((await world.see(firstMs)).covered).to.deep.equal([])
    await computeAll(next)
    expect((await world.see(firstMs)).covered).to.have.length(3)
  })

  it('A new machine with hours in the past makes exactly the days of these hours stale', async () => {
    const { world, samplesOf } = await aWorld()
    const look = async () => {
      await world.see(firstMs - 2 * dayMs)
    }
    const owner = await world.takeOver({ store: world.documents(store => watched(store, look, look)) })
    await samplesOf(owner, { isOneByOne: true })
    await computeAll(owner)
    const before = await world.see(firstMs - 2 * dayMs)
    // No machine has an hour in the two days before, so they count as covered.
    expect(before.covered).to.have.length(5)
    const added = world.plant.machine(world.companyRef * 1000 + 9, {
      commissionedAt: new Date(firstMs - dayMs).toISOString(),
      createdAt: new Date(world.nowMs).toISOString(),
    })
    await owner.recordsChanged([{ machineRef: added.ref, fromMs: 0, toMs: null }])
    await computeDirtyHours(owner)
    const { covered, stale } = await world.see(firstMs - 2 * dayMs)
    expect(covered).to.have.length(4)
    expect(stale.map(({ machineRef }) => machineRef)).to.deep.equal([added.ref, added.ref, added.ref])
    world.nowMs += minuteMs
    await computeAll(owner)
    const after = await world.see(firstMs - 2 * dayMs)
    expect([after.covered.length, after.stale]).to.deep.equal([5, []])
  })

  it("A company that was unknown at take-over gets day documents from its machine's first hour", async () => {
    const world = new DayWorld(database.store, firstMs + 3 * dayMs + 2 * hourMs, berlin)
    const owner = await world.takeOver({ companies: [] })
    const createdAt = new Date(firstMs).toISOString()
    const machine = world.plant.machine(world.companyRef * 1000 + 1, { commissionedAt: createdAt, createdAt })
    await passMessage(owner, machine, { [firstMs + hourMs]: 'ACTIVE' })
    await computeAll(owner)
    expect((await world.see(firstMs)).covered).to.have.length(3)
  })

  it('Days are covered only after every partition has built its day documents', async () => {
    const partitions = 3
    const { world, machines } = await aWorld(berlin, 9)
    expect(new Set(machines.map(({ ref }) => stateSamplesPartition(ref, partitions))).size).to.equal(partitions)
    const owners = await Promise.all([0, 1, 2].map(partition => world.takeOver({ partition, partitions })))
    for (const owner of owners) {
      expect((await world.see(firstMs)).covered).to.deep.equal([])
      await computeAll(owner)
    }
    expect((await world.see(firstMs)).covered).to.have.length(3)
  })

  it('Coverage from before a change of the partition count is not used', async () => {
    const { world } = await aWorld(berlin, 9)
    const first = await world.takeOver({ partition: 0, partitions: 3 })
    await computeAll(first)
    const owners = await Promise.all([0, 1, 2, 3].map(partition => world.takeOver({ partition, partitions: 4 })))
    for (const owner of owners.toReversed()) {
      expect((await world.see(firstMs)).covered).to.deep.equal([])
      await computeAll(owner)
    }
    expect((await world.see(firstMs)).covered).to.have.length(3)
  })

  it('All closed days of a company without machines are covered', async () => {
    const world = new DayWorld(database.store, firstMs + 3 * dayMs, berlin)
    expect((await world.see(firstMs)).covered).to.deep.equal([])
    await world.takeOver()
    expect((await world.see(firstMs)).covered).to.have.length(world.days(firstMs).length)
  })

  it('A previous owner of a partition can neither cover days nor clear stale marks', async () => {
    const { world, machine, samplesOf } = await aWorld()
    const zombie = await world.takeOver()
    await samplesOf(zombie)
    await computeDirtyHours(zombie)
    const owner = await world.takeOver()
    await computeAll(zombie)
    expect((await world.see(firstMs)).covered).to.deep.equal([])
    await passMessage(owner, machine, aPause(firstMs + dayMs + 7 * hourMs))
    await world.see(firstMs)
    await computeAll(owner)
    await world.see(firstMs)
    // The previous owner does not clear the stale mark of the current owner.
    await passMessage(owner, machine, aPause(firstMs + dayMs + 8 * hourMs))
    await computeDirtyHours(owner)
    world.nowMs += minuteMs
    await computeAll(zombie)
    expect((await world.see(firstMs)).stale).to.not.deep.equal([])
  })

  it('A day whose stale mark was taken over stays stale although the previous owner clears its mark', async () => {
    const { world, machine, samplesOf } = await aWorld()
    const zombie = await world.takeOver()
    await samplesOf(zombie)
    await computeAll(zombie)
    await passMessage(zombie, machine, aPause(firstMs + dayMs + 7 * hourMs))
    await computeDirtyHours(zombie)
    const owner = await world.takeOver()
    world.nowMs += minuteMs
    await computeAll(zombie)
    await passMessage(owner, machine, aPause(firstMs + dayMs + 8 * hourMs))
    await computeDirtyHours(owner)
    expect((await world.see(firstMs)).stale).to.have.length(1)
    world.nowMs += minuteMs
    await computeAll(owner)
    expect((await world.see(firstMs)).stale).to.deep.equal([])
  })

  it('Changes of more than 100 machines withdraw a whole day; fewer changes mark single machines', async () => {
    const { world, machines } = await aWorld(berlin, 101)
    const owner = await world.takeOver()
    await computeAll(owner)
    const days = (await world.see(firstMs)).covered
    expect(days).to.have.length(3)
    const change = async (count: number, changedDays: readonly { readonly startMs: number }[]) => {
      const changed = machines.slice(0, count)
      for (const { startMs } of changedDays)
        await owner.recordsChanged(changed.map(({ ref }) => ({ machineRef: ref, fromMs: startMs, toMs: startMs + 1 })))
      await computeDirtyHours(owner)
    }
    // Old marks are cleared machine by machine; if newer marks exist, the day is built for all machines.
    for (const restMs of [minuteMs, 0]) {
      await change(100, days.slice(1, 2))
      expect(owner.days.staleDays).to.equal(100)
      await change(101, days.slice(1, 2))
      expect((await world.see(firstMs)).covered).to.have.length(2)
      world.nowMs += restMs
      await computeAll(owner)
      const { covered, stale } = await world.see(firstMs)
      expect([covered.length, stale]).to.deep.equal([3, []])
    }

    await change(100, days)
    expect((await world.see(firstMs)).stale).to.have.length(300)
    world.nowMs += minuteMs
    const made = [await owner.workOnDays(), await owner.workOnDays(), await owner.workOnDays()]
    expect(made.map(task => task?.days)).to.deep.equal([days.slice(1), days.slice(0, 1), undefined])
    expect((await world.see(firstMs)).stale).to.deep.equal([])
  })
})

/** A stop of half a minute, on a day on which the machines are active. */
function aPause(atMs: number): Readonly<Record<number, string>> {
  return { [atMs]: 'STOPPED', [atMs + minuteMs / 2]: 'ACTIVE' }
}

/** Returns false if `run` fails with the simulated crash. */
async function ends(run: () => Promise<void>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    expect(String(error)).to.contain('crashed')
    return false
  }
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The value is missing')
  return value
}
