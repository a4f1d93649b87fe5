import { expect } from 'chai'
import * as fc from 'fast-check'
import { RecentHistories } from '../../../respond/evaluate/recent-histories.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { hourMs, minuteMs } from '../../../shared/time/units.ts'
import { forAll } from '../../support/for-all.ts'

const company = asCompanyRef(1)
const machines = [asMachineRef(1), asMachineRef(2)]
const startMs = Date.parse('2026-03-02T00:00:00Z')

type Hour = Awaited<ReturnType<RecentHistories['read']>>[number]
interface Write {
  readonly machine: number
  /** Hours before the current one. */
  readonly age: number
}

interface Step {
  readonly before: readonly Write[]
  /** Documents that are written during the read, before and after the store has read. */
  readonly meanwhile: readonly [readonly Write[], readonly Write[]]
  /** Whether another process owned the partition and wrote documents. */
  readonly other: readonly Write[] | null
  readonly hoursBefore: number
  /** Hours after the clock at which the read ends. */
  readonly until: number
  readonly refs: readonly MachineRef[]
  readonly hoursPass: number
}

const writes = fc.array(fc.record({ machine: fc.nat(1), age: fc.nat(3) }), { maxLength: 3 })
const anyStep: fc.Arbitrary<Step> = fc.record({
  before: writes,
  meanwhile: fc.tuple(writes, writes),
  other: fc.option(writes, { freq: 4 }),
  hoursBefore: fc.nat(5),
  until: fc.constantFrom(1, 1, 1, -1, -2),
  refs: fc.subarray(machines, { minLength: 1 }),
  hoursPass: fc.constantFrom(0, 0, 0, 1, 2),
})

/** A store with documents, each of which has its version as the reason of its state. */
class Plant {
  nowMs = startMs + 30 * minuteMs
  fence = 1
  reads = 0
  #version = 0
  readonly #stored = new Map<string, Hour>()
  readonly histories = new RecentHistories({
    fences: () => new Map(this.fence > 0 ? [[0, this.fence]] : []),
    partitionOf: () => 0,
    clock: () => this.nowMs,
    readHistory: async (_, refs, fromMs, toMs) => {
      this.reads++
      await this.beforeRead()
      const found = this.stored(refs, fromMs, toMs)
      await this.afterRead()
      return found
    },
  })
  beforeRead = async () => {}
  afterRead = async () => {}

  write(written: readonly Write[]): void {
    const documents = written.map(({ machine, age }): Hour => {
      const slotMs = Math.floor(this.nowMs / hourMs - age) * hourMs
      const reason = ++this.#version
      const segment = { start: 0, end: hourMs, status: 'ACTIVE', reason, shift: 0, scheduled: true } as const
      return { machineRef: machines[machine] ?? asMachineRef(1), slotMs, segments: [segment], alarms: [] }
    })
    for (const document of documents) this.store(document)
    if (this.fence > 0)
      expect(this.histories.written(documents), 'changed documents').to.deep.equal(
        documents.map(({ machineRef, slotMs }) => ({ machineRef, changedFromMs: slotMs })),
      )
  }

  store(document: Hour): void {
    this.#stored.set(`${document.machineRef}/${document.slotMs}`, document)
  }

  stored(refs: readonly MachineRef[], fromMs: number, toMs: number): Hour[] {
    return [...this.#stored.values()]
      .filter(({ machineRef, slotMs }) => refs.includes(machineRef) && slotMs + hourMs > fromMs && slotMs < toMs)
      .toSorted(inOrder)
  }
}

function inOrder(a: Hour, b: Hour): number {
  return a.machineRef - b.machineRef || a.slotMs - b.slotMs
}

const versions = (hours: readonly Hour[]) =>
  new Map(hours.map(({ machineRef, slotMs, segments }) => [`${machineRef}/${slotMs}`, segments[0]?.reason ?? 0]))

describe('RecentHistories', () => {
  it('A history contains each document that was written before the read, by this process or another owner', async () => {
    const property = fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 12 }), async steps => {
      const plant = new Plant()
      let fence = 1
      for (const { before, meanwhile, other, hoursBefore, until, refs, hoursPass } of steps) {
        plant.nowMs += hoursPass * hourMs
        plant.write(before)
        if (other) {
          plant.fence = 0
          plant.write(other)
          plant.fence = ++fence
        }
        const [fromMs, toMs] = [plant.nowMs - hoursBefore * hourMs, plant.nowMs + until * hourMs]
        const first = versions(plant.stored(refs, fromMs, toMs))
        plant.beforeRead = async () => plant.write(meanwhile[0])
        plant.afterRead = async () => plant.write(meanwhile[1])
        const read = await plant.histories.read(company, refs, fromMs, toMs)
        plant.beforeRead = plant.afterRead = async () => {}
        for (const [key, version] of first) expect(versions(read).get(key) ?? 0, key).to.be.at.least(version)
        const again = await plant.histories.read(company, refs, fromMs, toMs)
        const overlapping = again.filter(({ slotMs }) => slotMs + hourMs > fromMs)
        expect(overlapping.toSorted(inOrder)).to.deep.equal(plant.stored(refs, fromMs, toMs))
      }
    })
    await forAll(property, { numRuns: 300 })
  })

  it('The documents of a machine that are written after a read are not read from the store', async () => {
    const plant = new Plant()
    const read = () => plant.histories.read(company, machines, plant.nowMs - hourMs, plant.nowMs + hourMs)
    plant.write([{ machine: 0, age: 1 }])
    await read()
    for (let hour = 0; hour < 5; hour++) {
      plant.write([{ machine: 0, age: 0 }, { machine: 1, age: 0 }, { machine: 0, age: 0 }]) // prettier-ignore
      expect([...(await read())].toSorted(inOrder)).to.deep.equal(
        plant.stored(machines, plant.nowMs - hourMs, plant.nowMs + hourMs),
      )
      plant.nowMs += hourMs
    }
    expect(plant.reads).to.equal(1)
  })

  it('A document that differs from the known one only in what rules do not see has not changed', async () => {
    const plant = new Plant()
    const [machineRef = asMachineRef(0)] = machines
    const read = () => plant.histories.read(company, [machineRef], startMs, startMs + hourMs)
    const active = { status: 'ACTIVE', reason: null, shift: 1, scheduled: true } as const
    const stopped = { ...active, status: 'INACTIVE', reason: 0 } as const
    const alarm = { key: 'k', nativeCode: 'a', message: 'm', level: 'FAULT', startMs, endMs: null } as const
    const document = (segments: Hour['segments'], alarms: Hour['alarms'] = []): Hour => ({ machineRef, slotMs: startMs, segments, alarms }) // prettier-ignore
    const whole = [{ ...active, start: 0, end: hourMs, run: 7 }]
    const cut = [
      { ...active, start: 0, end: minuteMs },
      { ...active, start: minuteMs, end: hourMs },
    ]
    const ended = [
      { ...active, start: 0, end: minuteMs },
      { ...stopped, start: minuteMs, end: hourMs },
    ]
    await read()
    const written = (each: Hour) => plant.histories.written([each]).length === 1
    expect([whole, cut, ended, whole].map(segments => written(document(segments)))).to.deep.equal([
      true,
      false,
      true,
      true,
    ])
    expect(written(document(cut, [alarm]))).to.equal(true)
    expect(written(document(cut, [{ ...alarm }]))).to.equal(false)
    expect(written(document(cut, [{ ...alarm, endMs: startMs + 1 }]))).to.equal(true)
    expect((await read())[0]?.segments).to.deep.equal([{ ...active, start: 0, end: hourMs }])
  })

  it('A document has changed from the first different state on, and only the states from then on are read', async () => {
    const plant = new Plant()
    const [machineRef = asMachineRef(0)] = machines
    const states = (...minutes: readonly number[]) =>
      minutes.map((minute, index): Hour['segments'][number] => {
        const [start, end] = [minute * minuteMs, (minutes[index + 1] ?? 60) * minuteMs]
        return { status: 'ACTIVE', reason: index % 2 === 0 ? null : 7, shift: 1, scheduled: true, start, end }
      })
    const write = (segments: Hour['segments']) =>
      plant.histories
        .written([{ machineRef, slotMs: startMs, segments, alarms: [] }])
        .map(({ changedFromMs }) => (changedFromMs - startMs) / minuteMs)
    const read = (minute: number) =>
      plant.histories.read(company, [machineRef], startMs + minute * minuteMs, startMs + hourMs)
    await read(0)
    expect(write(states(0, 10, 20))).to.deep.equal([0])
    expect(write(states(0, 10, 20))).to.deep.equal([])
    // The last state ends, and another one begins.
    expect(write(states(0, 10, 20, 30))).to.deep.equal([20])
    expect(write(states(0, 10, 20, 30, 40))).to.deep.equal([30])
    expect((await read(25))[0]?.segments).to.deep.equal(states(0, 10, 20, 30, 40).slice(2))
    expect(write(states(0, 10, 20, 30))).to.deep.equal([30])
    expect(write(states(0, 5, 20, 30))).to.deep.equal([0])
    expect(write(states(0))).to.deep.equal([0])
    expect(write([])).to.deep.equal([0])
    expect(write([])).to.deep.equal([])
    expect(write(states(20, 30))).to.deep.equal([20])
  })

  it('A document has changed from the start of the first different alarm on, or from its own start', async () => {
    const plant = new Plant()
    const [machineRef = asMachineRef(0)] = machines
    const alarm = (minute: number, endMinute: number | null = null): Hour['alarms'][number] => ({
      key: 'k',
      nativeCode: 'a',
      message: 'm',
      level: 'FAULT',
      startMs: startMs + minute * minuteMs,
      endMs: endMinute === null ? null : startMs + endMinute * minuteMs,
    })
    const write = (...alarms: Hour['alarms']) =>
      plant.histories
        .written([{ machineRef, slotMs: startMs, segments: [], alarms }])
        .map(({ changedFromMs }) => (changedFromMs - startMs) / minuteMs)
    await plant.histories.read(company, [machineRef], startMs, startMs + hourMs)
    expect(write(alarm(-30))).to.deep.equal([0])
    expect(write(alarm(-30), alarm(20))).to.deep.equal([20])
    expect(write(alarm(-30), alarm(20, 25), alarm(30))).to.deep.equal([20])
    expect(write(alarm(-30), alarm(20, 25), alarm(30))).to.deep.equal([])
    expect(write(alarm(-30), alarm(20, 25))).to.deep.equal([30])
    expect(write(alarm(-30, 40), alarm(20, 25))).to.deep.equal([0])
  })

  it('A document that was read before its write is noted has changed from its start on: no evaluation may have covered it', async () => {
    const plant = new Plant()
    const [machineRef = asMachineRef(0)] = machines
    const state = { status: 'ACTIVE', reason: null, shift: 1, scheduled: true } as const
    const segments = [{ ...state, start: minuteMs, end: hourMs }]
    const write = () => plant.histories.written([{ machineRef, slotMs: startMs, segments, alarms: [] }])
    plant.store({ machineRef, slotMs: startMs, segments, alarms: [] })
    await plant.histories.read(company, [machineRef], startMs + 30 * minuteMs, startMs + hourMs)
    expect([write(), write()]).to.deep.equal([[{ machineRef, changedFromMs: startMs }], []])
  })

  it('The document before an instant is read if that of its hour does not exist', async () => {
    const plant = new Plant()
    const [machineRef = asMachineRef(0)] = machines
    const read = () => plant.histories.read(company, [machineRef], plant.nowMs, plant.nowMs + hourMs)
    plant.write([{ machine: 0, age: 0 }])
    plant.nowMs += hourMs
    expect((await read()).map(({ slotMs }) => slotMs)).to.deep.equal([startMs])
    expect((await read()).map(({ slotMs }) => slotMs)).to.deep.equal([startMs])
    plant.write([{ machine: 0, age: 0 }])
    expect((await read()).map(({ slotMs }) => slotMs)).to.deep.equal([startMs + hourMs])
    expect(plant.reads).to.equal(1)
  })

  it('Documents are equal before the instant from which on they differ', async () => {
    const [machineRef = asMachineRef(0)] = machines
    const anyStates = fc.array(fc.record({ minutes: fc.integer({ min: 1, max: 5 }), reason: fc.nat(2) }), {
      minLength: 1,
      maxLength: 8,
    })
    const anyPair = fc.tuple(anyStates, anyStates, anyStates).map(([same, a, b]) => [same.concat(a), same.concat(b)])
    const property = fc.asyncProperty(anyPair, async pair => {
      const plant = new Plant()
      await plant.histories.read(company, [machineRef], startMs, startMs + hourMs)
      const documents = pair.map((states): Hour => {
        let start = 0
        const segments = states.map(({ minutes, reason }, index) => {
          const end = index === states.length - 1 ? hourMs : start + minutes * minuteMs
          const segment = { start, end, status: 'INACTIVE', reason, shift: 0, scheduled: true } as const
          start = end
          return segment
        })
        return { machineRef, slotMs: startMs, segments, alarms: [] }
      })
      const reasonsBefore = (toMs: number) =>
        documents.map(({ segments }) =>
          Array.from(
            { length: Math.ceil((toMs - startMs) / minuteMs) },
            (_, minute) => segments.find(({ end }) => end > minute * minuteMs)?.reason,
          ),
        )
      const changed = documents.map(document => plant.histories.written([document])[0]?.changedFromMs)
      const [before, after] = reasonsBefore(changed[1] ?? startMs + hourMs)
      expect(after).to.deep.equal(before)
      const [read] = await plant.histories.read(company, [machineRef], startMs, startMs + hourMs)
      const [, wholeAfter] = reasonsBefore(startMs + hourMs)
      const minutes = Array.from({ length: 60 }, (_, minute) => minute * minuteMs)
      expect(minutes.map(ms => read?.segments.find(({ end }) => end > ms)?.reason)).to.deep.equal(wholeAfter)
    })
    await forAll(property, { numRuns: 300 })
  })

  it('A failed read of the store is rejected, and the next one succeeds', async () => {
    const plant = new Plant()
    const gate = deferred<void>()
    plant.write([{ machine: 0, age: 0 }])
    plant.beforeRead = () => gate.promise
    const reading = plant.histories.read(company, machines, plant.nowMs - hourMs, plant.nowMs + hourMs)
    gate.reject(new Error('no store'))
    const failure = await reading.then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).to.be.an('error').with.property('message', 'no store')
    plant.beforeRead = async () => {}
    const read = await plant.histories.read(company, machines, plant.nowMs - hourMs, plant.nowMs + hourMs)
    expect(read).to.have.length(1)
  })
})
