import { expect } from 'chai'
import * as fc from 'fast-check'
import { MachineClocks } from '../../../ingest/consume/machine-clocks.ts'
import type { Run } from '../../../ingest/consume/accepted-samples.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { replayHeader } from '../../../schema/topics.ts'
import { hourMs, minuteMs, secondMs } from '../../../shared/time/units.ts'
import { knownMachine } from '../decode/known-machine.ts'

const startMs = Date.UTC(2026, 2, 2, 8)

/** A record: when it was received, in ms after the start, and the delays of its samples at that time. */
interface Received {
  readonly atMs: number
  readonly delaysMs: readonly number[]
  readonly machine?: number
  readonly isReplay?: boolean
}

interface Fault {
  readonly code: string
  readonly message: string
  readonly count: number
  readonly atMs: number
}

/** Machine faults of these records, checked one by one or together. */
function faultsOf(records: readonly Received[], atOnce = false): readonly Fault[] {
  const faults: Fault[] = []
  let atMs = 0
  const clocks = new MachineClocks({
    report: (_, code, message, count) => faults.push({ code, message, count, atMs }),
  })
  const times: number[] = []
  const runs = records.map((record, offset): Run => {
    const first = times.length
    for (const delayMs of record.delaysMs) times.push((startMs + record.atMs - delayMs) * 1000)
    const headers: Record<string, string> = record.isReplay ? { [replayHeader]: '1' } : {}
    const source = {
      topic: 'samples.v1',
      partition: 0,
      offset,
      key: null,
      value: Buffer.alloc(0),
      timestampMs: startMs + record.atMs,
      headers,
    }
    const machine = { ...knownMachine, ref: asMachineRef(record.machine ?? 7) }
    return { source, isPlain: false, machine, first, end: times.length, names: [] }
  })
  const atUs = Float64Array.from(times)
  if (atOnce) clocks.check(runs, atUs)
  for (const [index, run] of atOnce ? [] : runs.entries()) {
    atMs = records[index]?.atMs ?? 0
    clocks.check([run], atUs)
  }
  return faults
}

/** Records every `everyMs` for `forMs`; the newest sample of each has the given delay. */
function source(forMs: number, everyMs: number, delayAt: (atMs: number) => number): readonly Received[] {
  const count = Math.floor(forMs / everyMs) + 1
  return Array.from({ length: count }, (_, index) => ({
    atMs: index * everyMs,
    delaysMs: [delayAt(index * everyMs) + 30 * secondMs, delayAt(index * everyMs)],
  }))
}

const codesOf = (faults: readonly Fault[]) => [...new Set(faults.map(({ code }) => code))]

describe('clock_ahead', () => {
  it('clock_ahead is reported for samples that are more than 60 s ahead of their receipt', () => {
    expect(faultsOf([{ atMs: 0, delaysMs: [0, -minuteMs] }])).to.deep.equal([])
    const [fault, ...others] = faultsOf([{ atMs: 0, delaysMs: [0, -minuteMs - 1, -330 * secondMs] }])
    expect(others).to.deep.equal([])
    expect(fault).to.deep.equal({
      code: 'clock_ahead',
      count: 2,
      atMs: 0,
      message:
        'The newest timestamp is 5 min 30 s ahead of the time of receipt. Set the clock of the machine or gateway, or add -330000 to timeOffsetMs of the machine in its connector.',
    })
  })

  it('clock_ahead names the likely time zone of local times without an offset', () => {
    const message = (aheadMs: number) => faultsOf([{ atMs: 0, delaysMs: [-aheadMs] }])[0]?.message
    expect(message(2 * hourMs - 4 * secondMs)).to.equal(
      'The newest timestamp is 2 h 0 min ahead of the time of receipt: it is probably local time of UTC+02:00 without an offset. Send UTC, or add the offset, or add -7200000 to timeOffsetMs of the machine in its connector.',
    )
    expect(message(5.75 * hourMs)).to.contain('UTC+05:45')
    expect(message(14 * hourMs)).to.contain('UTC+14:00')
    expect(message(14.25 * hourMs)).to.contain('Set the clock')
    expect(message(2 * hourMs + 3 * minuteMs)).to.contain('Set the clock')
  })

  it('clock_ahead is not reported for replayed dead letters', () => {
    expect(faultsOf([{ atMs: 0, delaysMs: [-hourMs], isReplay: true }])).to.deep.equal([])
  })
})

describe('clock_behind', () => {
  it('clock_behind is reported if the delay stays near a multiple of 15 min for 10 min', () => {
    const faults = faultsOf(source(12 * minuteMs, 20 * secondMs, () => 5 * hourMs + 3 * secondMs))
    expect(faults[0]).to.deep.equal({
      code: 'clock_behind',
      count: 2,
      atMs: 10 * minuteMs,
      message:
        'The newest timestamp is 5 h 0 min behind the time of receipt: it is probably local time of UTC-05:00 without an offset. Send UTC, or add the offset, or add 18000000 to timeOffsetMs of the machine in its connector.',
    })
    expect(faults).to.have.length(7)
  })

  it('clock_behind names no time zone that does not exist', () => {
    const [fault] = faultsOf(source(10 * minuteMs, minuteMs, () => 24 * hourMs))
    expect(fault?.message).to.equal(
      'The newest timestamp is 24 h 0 min behind the time of receipt. Set the clock of the machine or gateway, or add 86400000 to timeOffsetMs of the machine in its connector.',
    )
  })

  it('clock_behind is reported for any delays of the records within 2 min', () => {
    const anyDelays = fc.array(fc.integer({ min: -30, max: 100 }), { minLength: 5, maxLength: 90 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), anyDelays, (steps, jitter) => {
        const delayAt = (atMs: number) => {
          const seconds = atMs % minuteMs === 0 ? -20 : (jitter[(atMs / secondMs) % jitter.length] ?? 0)
          return steps * 15 * minuteMs + seconds * secondMs
        }
        expect(codesOf(faultsOf(source(11 * minuteMs, 10 * secondMs, delayAt)))).to.deep.equal(['clock_behind'])
      }),
    )
  })

  const never: readonly (readonly [string, readonly Received[]])[] = [
    ['of less than 15 min', source(hourMs, 10 * secondMs, () => 12 * minuteMs)],
    ['between two multiples of 15 min', source(hourMs, 10 * secondMs, () => 5 * hourMs + 5 * minuteMs)],
    ['for less than 10 min', source(10 * minuteMs - 1, secondMs, () => 5 * hourMs)],
    ['of an import, whose timestamps advance quickly', source(hourMs, secondMs, atMs => 40 * hourMs - atMs * 20)],
    ['of a source that catches up', source(2 * hourMs, 10 * secondMs, atMs => 2 * hourMs - atMs)],
    ['of a source that catches up slowly', source(3 * hourMs, 10 * secondMs, atMs => 2 * hourMs - atMs / 5)],
    ['of a source that falls behind', source(3 * hourMs, 10 * secondMs, atMs => hourMs + atMs / 5)],
    ['of a value that is sent repeatedly', source(3 * hourMs, 10 * secondMs, atMs => atMs)],
    ['of a file every 12 hours', source(48 * hourMs, 12 * hourMs, () => 8 * hourMs)],
    [
      'of replayed dead letters',
      source(hourMs, 10 * secondMs, () => 5 * hourMs).map(record => Object.assign(record, { isReplay: true })),
    ],
    [
      'of some samples while other samples are in time',
      source(hourMs, 10 * secondMs, atMs => (atMs % minuteMs === 0 ? 0 : 5 * hourMs)),
    ],
  ]
  for (const [title, records] of never) {
    it(`clock_behind is not reported for a delay ${title}`, () => expect(faultsOf(records)).to.deep.equal([]))
  }

  it('clock_behind depends on the newest sample of a machine in a record', () => {
    const lathe = source(11 * minuteMs, 10 * secondMs, () => hourMs)
    const mill = source(11 * minuteMs, 10 * secondMs, () => 0).map(record => Object.assign(record, { machine: 8 }))
    const mixed = lathe.flatMap((record, index) => [record, mill[index] ?? record])
    expect(codesOf(faultsOf(mixed))).to.deep.equal(['clock_behind'])
    expect(codesOf(faultsOf(mixed, true))).to.deep.equal(['clock_behind'])
  })

  it('clock_behind ends when the clock is correct again', () => {
    const wrong = source(20 * minuteMs, 10 * secondMs, () => hourMs)
    const right = source(20 * minuteMs, 10 * secondMs, () => 0).map(({ atMs, delaysMs }) => ({
      atMs: atMs + 21 * minuteMs,
      delaysMs,
    }))
    const last = faultsOf([...wrong, ...right]).at(-1)
    expect(last?.atMs).to.equal(20 * minuteMs)
  })
})
