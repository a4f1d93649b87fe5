import { expect } from 'chai'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { WireSample } from '../../schema/topics.ts'
import { aMachine, aPlant, aSample, condition, execution } from './build.ts'
import { oracleAlarms, oracleStates } from './oracle.ts'

const day = '2026-03-02T'
const zero = Date.parse(`${day}00:00:00Z`)
const at = (time: string) => Date.parse(`${day}${time}Z`)
const now = at('12:00:00')

function history(samples: readonly WireSample[], machine: Partial<MachineRecord> = {}) {
  const plant = aPlant({ samples, machines: [aMachine(machine)], nowMs: now })
  const found = oracleStates(plant)['m1']
  if (!found) throw new Error('no machine')
  return found
}

/** Formats the status, and letters for cycle (C), spindle (S) and cut (U), at the time of each step. */
function story(samples: readonly WireSample[], machine: Partial<MachineRecord> = {}) {
  return history(samples, machine).steps.map(it => {
    const flags = `${it.inCycle ? 'C' : ''}${it.spindle ? 'S' : ''}${it.cut ? 'U' : ''}`
    return `${new Date(it.startMs).toISOString().slice(11, 23)} ${it.status} ${flags}`.trimEnd()
  })
}

const t = (time: string) => `${day}${time}Z`

describe('oracle: machine state', () => {
  it('The status follows EXECUTION, faults and emergency stops in the order of the rules', () => {
    const samples = [
      aSample(t('00:00:00'), 'avail', 'AVAILABILITY', 'AVAILABLE'),
      execution(t('01:00:00'), 'ready'),
      execution(t('02:00:00'), 'Active'),
      condition(t('03:00:00'), 'Fault', 'A'),
      condition(t('04:00:00'), 'Warning', 'A'),
      aSample(t('05:00:00'), 'estop', 'EmergencyStop', 'Triggered'),
      aSample(t('06:00:00'), 'estop', 'EMERGENCY_STOP', 'ARMED'),
      execution(t('07:00:00'), 'Unavailable'),
    ]
    expect(story(samples)).to.deep.equal([
      '00:00:00.000 UNAVAILABLE',
      '01:00:00.000 INACTIVE',
      '02:00:00.000 ACTIVE C',
      '03:00:00.000 FAULT C',
      '04:00:00.000 ACTIVE C',
      '05:00:00.000 FAULT C',
      '06:00:00.000 ACTIVE C',
      '07:00:00.000 UNAVAILABLE',
    ])
  })

  it('A machine is in cycle while any path is, and unavailable only if every path is', () => {
    const samples = [
      execution(t('01:00:00'), 'ACTIVE', 'p1'),
      execution(t('02:00:00'), 'WAIT', 'p2'),
      execution(t('03:00:00'), 'UNAVAILABLE', 'p1'),
      execution(t('04:00:00'), 'STOPPED', 'p2'),
      execution(t('05:00:00'), 'UNAVAILABLE', 'P_2'),
    ]
    const steps = ['01:00:00.000 ACTIVE C', '04:00:00.000 INACTIVE', '05:00:00.000 UNAVAILABLE']
    expect(story(samples)).to.deep.equal(steps)
    expect(history(samples).cycles).to.deep.equal([{ startMs: at('01:00:00'), endMs: at('04:00:00') }])
  })

  it('The state of a millisecond is that after all its samples, in the total order', () => {
    const samples = [
      execution(t('01:00:00.0007'), 'READY'),
      execution(t('01:00:00.0001'), 'ACTIVE'),
      execution(t('02:00:00'), 'STOPPED'),
      execution(t('02:00:00'), 'ACTIVE'),
      { ...execution(t('03:00:00'), 'ACTIVE'), instanceId: 1, sequence: 1 },
      execution(t('03:00:00'), 'STOPPED'),
      execution('2026-03-02T05:30:00+02:00', 'READY'),
      execution('2026-03-02T04:00:00', 'ACTIVE'),
    ]
    expect(story(samples)).to.deep.equal([
      '01:00:00.000 INACTIVE',
      '03:00:00.000 ACTIVE C',
      '03:30:00.000 INACTIVE',
      '04:00:00.000 ACTIVE C',
    ])
  })

  it('Copies of a sample count once, in any number and order', () => {
    const copy = { ...execution(t('02:00:00'), 'ACTIVE'), instanceId: 7, sequence: 5 }
    const later = { ...copy, timestamp: t('03:00:00'), value: 'READY' }
    const samples = [later, execution(t('01:00:00'), 'READY'), copy, later, execution(t('01:00:00.000'), 'READY')]
    const expected = ['01:00:00.000 INACTIVE', '02:00:00.000 ACTIVE C']
    expect(story(samples)).to.deep.equal(expected)
    expect(story(samples.toReversed())).to.deep.equal(expected)
  })

  it('The spindle rotates if a speed of subtype ACTUAL or none reaches spindleAbove, in either direction', () => {
    const speed = (time: string, value: string | number, subtype?: string) => ({
      ...aSample(t(time), `rpm${subtype ?? ''}`, 'Rotary Velocity', value),
      ...(subtype === undefined ? {} : { subtype }),
    })
    const samples = [
      execution(t('00:00:00'), 'READY'),
      speed('01:00:00', 5000, 'PROGRAMMED'),
      speed('02:00:00', -1, 'Actual'),
      speed('03:00:00', 'noise', 'ACTUAL'),
      speed('04:00:00', '0.99', 'ACTUAL'),
      speed('05:00:00', '1e0'),
      speed('06:00:00', 'UNAVAILABLE'),
      aSample(t('07:00:00'), 'turning', 'SPINDLE_ROTATING', 'true'),
      aSample(t('08:00:00'), 'turning', 'SPINDLE_ROTATING', 'false'),
    ]
    expect(story(samples)).to.deep.equal([
      '00:00:00.000 INACTIVE',
      '02:00:00.000 INACTIVE S',
      '04:00:00.000 INACTIVE',
      '05:00:00.000 INACTIVE S',
      '06:00:00.000 INACTIVE',
      '07:00:00.000 INACTIVE S',
      '08:00:00.000 INACTIVE',
    ])
    expect(story([execution(t('00:00:00'), 'READY'), speed('01:00:00', 0)], { spindleAbove: 0 })).to.have.length(1)
  })

  it('A machine cuts by cutSignal until a CUTTING key has a value', () => {
    const samples = [
      execution(t('00:00:00'), 'READY'),
      aSample(t('01:00:00'), 'S_load', 'LOAD', 11),
      aSample(t('02:00:00'), 'Sload', 'LOAD', 'text'),
      aSample(t('03:00:00'), 'Sload', 'LOAD', 10),
      aSample(t('04:00:00'), 'Sload', 'LOAD', 50),
      aSample(t('05:00:00'), 'cut', 'CUTTING', 'UNAVAILABLE'),
      aSample(t('06:00:00'), 'cut', 'CUTTING', 'OFF'),
      aSample(t('07:00:00'), 'cut', 'CUTTING', 'on'),
      aSample(t('08:00:00'), 'cut', 'CUTTING', 'UNAVAILABLE'),
    ]
    expect(story(samples, { cutSignal: { key: 'SLOAD', above: 10 } })).to.deep.equal([
      '00:00:00.000 INACTIVE',
      '01:00:00.000 INACTIVE U',
      '03:00:00.000 INACTIVE',
      '04:00:00.000 INACTIVE U',
      '06:00:00.000 INACTIVE',
      '07:00:00.000 INACTIVE U',
      '08:00:00.000 INACTIVE',
    ])
  })

  it('A machine is unavailable when stale, until its next sample', () => {
    const samples = [
      execution(t('01:00:00'), 'ACTIVE'),
      aSample(t('01:01:00'), 'temp', 'TEMPERATURE', 1),
      aSample(t('01:02:00.001'), 'temp', 'TEMPERATURE', 1),
    ]
    expect(story(samples, { staleAfterMs: 60_000 })).to.deep.equal([
      '01:00:00.000 ACTIVE C',
      '01:02:00.000 UNAVAILABLE',
      '01:02:00.001 ACTIVE C',
      '01:03:00.001 UNAVAILABLE',
    ])
  })

  it('Samples after the clock are left out', () => {
    expect(story([execution(t('11:00:00'), 'READY'), execution(t('12:00:00.001'), 'ACTIVE')])).to.have.length(1)
  })

  it('The category of a sample determines whether it is a condition', () => {
    const samples: WireSample[] = [
      execution(t('01:00:00'), 'READY'),
      { ...aSample(t('02:00:00'), 'load', 'LOAD', 'FAULT'), category: 'CONDITION' },
      { ...aSample(t('03:00:00'), 'load', 'LOAD', 'NORMAL'), category: 'CONDITION' },
      { ...aSample(t('04:00:00'), 'sys', 'SYSTEM', 'FAULT'), category: 'EVENT' },
    ]
    const steps = ['01:00:00.000 INACTIVE', '02:00:00.000 FAULT', '03:00:00.000 INACTIVE']
    expect(story(samples)).to.deep.equal(steps)
  })
})

describe('oracle: alarm instances', () => {
  const alarms = (samples: readonly WireSample[]) =>
    (oracleAlarms(aPlant({ samples, nowMs: now }))['m1'] ?? []).map(it => {
      const end = it.endMs === null ? '' : (it.endMs - zero) / 3_600_000
      return `${(it.startMs - zero) / 3_600_000}-${end} ${it.state} ${it.nativeCode}:${it.message}`
    })

  it('An alarm instance lasts until it clears or changes its level, and repeats change nothing', () => {
    const samples = [
      condition(t('01:00:00'), 'WARNING', 'A', 'first'),
      condition(t('02:00:00'), 'Warning', 'A', 'again'),
      condition(t('03:00:00'), 'FAULT', 'A', 'worse'),
      condition(t('04:00:00'), 'FAULT', 'B', 'also'),
      condition(t('05:00:00'), 'NORMAL', 'A'),
      condition(t('06:00:00'), 'FAULT', '', 'no code'),
      condition(t('07:00:00'), 'NORMAL'),
      condition(t('08:00:00'), 'WARNING', 'C', 'open'),
    ]
    const expected = [
      '1-3 WARNING A:first',
      '3-5 FAULT A:worse',
      '4-7 FAULT B:also',
      '6-7 FAULT :no code',
      '8- WARNING C:open',
    ]
    expect(alarms(samples)).to.deep.equal(expected)
  })

  it('UNAVAILABLE clears all alarms of a key, and an alarm within one millisecond makes no instance', () => {
    const samples = [
      condition(t('01:00:00'), 'FAULT', 'A', 'one'),
      condition(t('01:00:00.0005'), 'FAULT', 'A', 'two'),
      condition(t('02:00:00.0001'), 'NORMAL', 'A'),
      condition(t('02:00:00.0002'), 'FAULT', 'A', 'three'),
      condition(t('03:00:00.0001'), 'FAULT', 'B'),
      condition(t('03:00:00.0002'), 'NORMAL', 'B'),
      condition(t('04:00:00'), 'UNAVAILABLE'),
      condition(t('05:00:00'), 'FAULT', 'A', 'y'),
      condition(t('05:00:00'), 'FAULT', 'A', 'x'),
    ]
    expect(alarms(samples)).to.deep.equal(['1-4 FAULT A:two', '5- FAULT A:x'])
  })
})

describe('oracle: parts', () => {
  const counts = (values: readonly (string | number)[], machine: Partial<MachineRecord> = {}) => {
    const samples = values.map((value, index) =>
      aSample(t(`01:00:${String(index).padStart(2, '0')}`), 'parts', 'PART_COUNT', value),
    )
    const { additions } = history(samples, machine)
    return values.map((_, index) => additions.find(it => it.atMs === at('01:00:00') + index * 1000)?.parts ?? 0)
  }

  it('Parts are the differences from a baseline, ignoring values that are not counts', () => {
    expect(counts([100, 101, 'UNAVAILABLE', 'abc', -5, 105])).to.deep.equal([0, 1, 0, 0, 0, 4])
  })

  it('A reset counts only if it is small and at most half of the previous value', () => {
    expect(counts([50, 3, 4])).to.deep.equal([0, 3, 1])
    expect(counts([901, 900, 901])).to.deep.equal([0, 0, 0])
    expect(counts([8, 7])).to.deep.equal([0, 0])
    expect(counts([8, 4])).to.deep.equal([0, 4])
    expect(counts([50, 11])).to.deep.equal([0, 0])
    expect(counts([50, 40, 41], { maxResetParts: 100 })).to.deep.equal([0, 0, 1])
  })

  it('The parts that a glitch added are subtracted', () => {
    expect(counts([50, 3, 52, 53])).to.deep.equal([0, 3, -1, 1])
    expect(counts([50, 0, 50])).to.deep.equal([0, 0, 0])
    expect(counts([10, 3, 12])).to.deep.equal([0, 3, 9])
    expect(counts([50, 3, 49])).to.deep.equal([0, 3, 46])
  })

  it('Repeated values are ignored, also during a glitch', () => {
    expect(counts([50, 50, 3, 3, 3, 52, 52, 53])).to.deep.equal([0, 0, 3, 0, 0, -1, 0, 1])
    expect(counts([900, 0, 0, 901])).to.deep.equal([0, 0, 0, 1])
    expect(counts([20, 21, 5000, 5000, 22, 23])).to.deep.equal([0, 1, 0, 0, 1, 1])
  })

  it('A spike is ignored', () => {
    const jump = { maxPartJump: 50 }
    expect(counts([20, 21, 800, 22, 23], jump)).to.deep.equal([0, 1, 0, 1, 1])
    expect(counts([20, 21, 800, 22, 23])).to.deep.equal([0, 1, 779, 0, 1])
    expect(counts([20, 21, 800, 22, 800, 23], jump)).to.deep.equal([0, 1, 0, 1, 0, 1])
    expect(counts([20, 800, 20, 70], jump)).to.deep.equal([0, 0, 0, 50])
    expect(counts([20, 800, 70, 71], jump)).to.deep.equal([0, 0, 50, 1])
    expect(counts([20, 800, 71, 72], jump)).to.deep.equal([0, 0, 0, 1])
    expect(counts([20, 800, 19, 20], jump)).to.deep.equal([0, 0, 0, 1])
    expect(counts([20, 800, 900, 21], jump)).to.deep.equal([0, 0, 0, 0])
    expect(counts([5000, 22, 23])).to.deep.equal([0, 0, 1])
  })

  it('After a spike, parts count from the value before it, also after a dip or a reset', () => {
    expect(counts([900, 5, 5000, 906, 907])).to.deep.equal([0, 5, 0, 1, 1])
    expect(counts([900, 0, 5000, 901])).to.deep.equal([0, 0, 0, 1])
    expect(counts([900, 5, 5000, 904])).to.deep.equal([0, 5, 0, 0])
    expect(counts([100, 3, 2, 101], { maxPartJump: 2 })).to.deep.equal([0, 0, 2, 0])
  })

  it('With partCounter increment, the reported parts are added up', () => {
    const increment = { partCounter: 'increment' } as const
    expect(counts([1, 1, 2.9, 0, 'UNAVAILABLE', -1, '1e1', 0.5], increment)).to.deep.equal([1, 1, 2, 0, 0, 0, 10, 0])
    expect(counts([5, 5.5, 6], { ...increment, maxPartJump: 5 })).to.deep.equal([5, 0, 0])
  })

  it('An addition above maxPartJump is dropped and becomes the new baseline', () => {
    expect(counts([0, 1001, 1002, 2002])).to.deep.equal([0, 0, 1, 1000])
    expect(counts([50, 9], { maxPartJump: 8 })).to.deep.equal([0, 0])
  })

  it('PART_COUNT keys without a subtype or with ALL count, or only partCountKey', () => {
    const count = (time: string, key: string, value: number, subtype?: string, type = 'PartCount') => ({
      ...aSample(t(time), key, type, value),
      ...(subtype === undefined ? {} : { subtype }),
    })
    const samples = [
      count('01:00:00', 'a', 0),
      count('01:00:00', 'b', 10, 'all'),
      count('01:00:00', 'c', 0, 'BAD'),
      count('01:00:00', 'other', 0, undefined, 'LINE'),
      count('02:00:00', 'a', 2),
      count('02:00:00', 'b', 11, 'ALL'),
      count('02:00:00', 'c', 9, 'BAD'),
      count('02:00:00', 'other', 5, 'X', 'LINE'),
    ]
    const total = (machine: Partial<MachineRecord>) =>
      history(samples, machine).additions.reduce((sum, it) => sum + it.parts, 0)
    expect(total({})).to.equal(3)
    expect(total({ partCountKey: 'OTHER' })).to.equal(5)
    expect(total({ partCountKey: 'C' })).to.equal(9)
    expect(total({ partCounter: 'none' })).to.equal(0)
  })

  const partTimes = (samples: readonly WireSample[], machine: Partial<MachineRecord>) =>
    history(samples, machine).additions.map(it => `${new Date(it.atMs).toISOString().slice(11, 19)} ${it.parts}`)

  it('With partCounter cycle, neither a pause nor a machine that becomes unavailable makes a part', () => {
    const samples = [
      execution(t('01:00:00'), 'ACTIVE'),
      execution(t('01:01:00'), 'FEED_HOLD'),
      execution(t('01:02:00'), 'ACTIVE'),
      execution(t('01:03:00'), 'READY'),
      execution(t('01:04:00'), 'INTERRUPTED'),
      execution(t('01:05:00'), 'READY'),
      execution(t('01:06:00'), 'WAIT'),
      execution(t('01:07:00'), 'UNAVAILABLE'),
    ]
    expect(partTimes(samples, { partCounter: 'cycle' })).to.deep.equal(['01:03:00 1'])
  })

  it('With partCounter cycle, a part counts when the last path leaves its program', () => {
    const samples = [
      execution(t('01:00:00'), 'ACTIVE', 'p1'),
      execution(t('01:01:00'), 'ACTIVE', 'p2'),
      execution(t('01:02:00'), 'READY', 'p1'),
      execution(t('01:03:00'), 'UNAVAILABLE', 'p2'),
    ]
    expect(partTimes(samples, { partCounter: 'cycle' })).to.deep.equal(['01:03:00 1'])
    expect(partTimes(samples, { partCounter: 'cycle', partCountKey: 'P1' })).to.deep.equal(['01:02:00 1'])
    expect(partTimes(samples, { partCounter: 'cycle', partCountKey: 'p3' })).to.deep.equal([])
  })

  it('With partCounter cycle, staleness ends a program without a part, and values that apply again start a new one', () => {
    const stale = { partCounter: 'cycle', staleAfterMs: 60_000 } as const
    const active = execution(t('01:00:00'), 'ACTIVE')
    const hum = (time: string) => aSample(t(time), 'temp', 'TEMPERATURE', 1)
    expect(partTimes([active, execution(t('01:01:00'), 'READY')], stale)).to.deep.equal(['01:01:00 1'])
    expect(partTimes([active, execution(t('01:02:00'), 'READY')], stale)).to.deep.equal([])
    const back = [active, hum('01:02:00'), execution(t('01:02:30'), 'READY')]
    expect(partTimes(back, stale)).to.deep.equal(['01:02:30 1'])
    const paused = [active, execution(t('01:00:30'), 'FEED_HOLD'), hum('01:02:00'), execution(t('01:02:30'), 'READY')]
    expect(partTimes(paused, stale)).to.deep.equal([])
  })

  it('With partCounter cycle, the first sample after staleness puts paths back into their program, except paths with samples at that instant', () => {
    const stale = { partCounter: 'cycle', staleAfterMs: 60_000 } as const
    const samples = [
      execution(t('01:53:00'), 'WAIT', 'p2'),
      execution(t('02:46:31.4062'), 'ACTIVE', 'p1'),
      execution(t('02:46:31.4068'), 'READY', 'p1'),
    ]
    expect(partTimes(samples, stale)).to.deep.equal([])
    const itself = execution(t('02:46:31.4069'), 'READY', 'p2')
    expect(partTimes([...samples, itself], stale)).to.deep.equal(['02:46:31 1'])
  })

  it('With partCounter program, each change to PROGRAM_COMPLETED counts', () => {
    const values = [
      'PROGRAM_COMPLETED',
      'ACTIVE',
      'Program_Completed',
      'PROGRAM_COMPLETED',
      'UNAVAILABLE',
      'PROGRAM_COMPLETED',
    ]
    const samples = values.map((value, index) => execution(t(`01:0${index}:00`), value))
    expect(partTimes(samples, { partCounter: 'program' })).to.deep.equal(['01:02:00 1'])
  })
})
