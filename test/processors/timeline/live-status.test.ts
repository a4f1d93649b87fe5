import { expect } from 'chai'
import type { Sample } from '../../../schema/sample.ts'
import { computeHour } from '../../../processors/timeline/compute-hour.ts'
import { liveStatus } from '../../../processors/timeline/live-status.ts'
import { initialState } from '../../../processors/timeline/state.ts'
import { condition, execution, inputsOf, minute, parts, sample, startMs } from './support.ts'

function statusAt(offsetMs: number, inputs: ReturnType<typeof inputsOf>, ...samples: readonly Sample[]) {
  const { stateOut } = computeHour(inputs, startMs, initialState(), samples, [])
  const { status, sinceMs, faults } = liveStatus(inputs, stateOut, startMs + offsetMs)
  return { status, since: sinceMs - startMs, faults }
}

describe('live status', () => {
  it('A machine without samples is UNAVAILABLE since its creation', () => {
    const inputs = inputsOf({}, { commissioned: { fromMs: null, createdMs: startMs - minute, toMs: null } })
    expect(statusAt(0, inputs)).to.deep.equal({ status: 'UNAVAILABLE', since: -minute, faults: [] })
  })

  it('The live status contains the instant since which it applies', () => {
    const actual = statusAt(minute, inputsOf(), execution(0, 'READY'), execution(10, 'ACTIVE'), execution(20, 'WAIT'))
    expect(actual).to.deep.equal({ status: 'ACTIVE', since: 10, faults: [] })
  })

  it('The live status lists active faults: conditions and emergency stops', () => {
    const samples = [
      execution(0, 'ACTIVE'),
      condition(5, 'FAULT', '7', 'hot'),
      condition(6, 'WARNING', '8'),
      sample(9, 'EMERGENCY_STOP', 'TRIGGERED'),
    ]
    expect(statusAt(minute, inputsOf(), ...samples)).to.deep.equal({
      status: 'FAULT',
      since: 5,
      faults: [
        { key: 'system', type: 'SYSTEM', value: 'FAULT', message: 'hot', atMs: startMs + 5 },
        { key: 'emergency_stop', type: 'EMERGENCY_STOP', value: 'TRIGGERED', message: '', atMs: startMs + 9 },
      ],
    })
  })

  it('The live status has one message, and only as many faults as fit into a record of the log', () => {
    const key = (i: number) => `${String(i).padStart(3, '0')}${'k'.repeat(250)}`
    const samples = Array.from({ length: 900 }, (_, i) => condition(i, 'FAULT', '', i < 2 ? '' : 'hot', key(i)))
    const { faults } = statusAt(minute, inputsOf(), execution(0, 'ACTIVE'), ...samples)
    expect(faults.filter(({ message }) => message !== '').map(fault => fault.key)).to.deep.equal([key(2)])
    expect(JSON.stringify(faults).length).to.be.within(140_000, 151_000)
  })

  it('The live status becomes UNAVAILABLE exactly when the machine becomes stale', () => {
    const stale = inputsOf({ staleAfterMs: 2 * minute })
    const samples = [execution(0, 'ACTIVE'), parts(minute, 1)]
    expect(statusAt(3 * minute - 1, stale, ...samples)).to.deep.equal({ status: 'ACTIVE', since: 0, faults: [] })
    expect(statusAt(3 * minute, stale, ...samples)).to.deep.equal({
      status: 'UNAVAILABLE',
      since: 3 * minute,
      faults: [],
    })
    const again = [...samples, parts(10 * minute, 2)]
    expect(statusAt(11 * minute, stale, ...again)).to.deep.equal({ status: 'ACTIVE', since: 10 * minute, faults: [] })
  })
})
