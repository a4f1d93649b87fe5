import { assert } from 'chai'
import { legendOf, type Mark } from '../../web/screens/machine/marks.ts'
import { metricName, metricUnit } from '../../web/screens/machine/metric-name.ts'

describe('the machine screen', () => {
  it('The legend of a lane has the time of each kind of mark in the window, the greatest first', () => {
    const mark = (kind: string, startMs: number, endMs: number, share = 1): Mark => ({
      kind,
      startMs,
      endMs,
      share,
      title: `${kind} ${startMs}`,
      fill: `#${kind}`,
      isTinted: false,
    })
    const marks = [mark('a', 0, 100), mark('b', 100, 500), mark('a', 500, 600, 0.25), mark('b', 500, 600, 0.75)]
    assert.deepEqual(legendOf(marks, { fromMs: 0, toMs: 600 }), [
      { kind: 'b', fill: '#b', totalMs: 475 },
      { kind: 'a', fill: '#a', totalMs: 125 },
    ])
    assert.deepEqual(legendOf(marks, { fromMs: 50, toMs: 150 }), [
      { kind: 'a', fill: '#a', totalMs: 50 },
      { kind: 'b', fill: '#b', totalMs: 50 },
    ])
  })

  it('The time of overlapping alarms of a kind counts once in the legend', () => {
    const alarm = (startMs: number, endMs: number): Mark => ({
      kind: 'Fault',
      startMs,
      endMs,
      share: 1,
      title: `E${startMs}`,
      fill: '#f00',
      isTinted: false,
    })
    const alarms = [alarm(300, 350), alarm(0, 100), alarm(50, 120), alarm(60, 80)]
    assert.deepEqual(legendOf(alarms, { fromMs: 10, toMs: 340 }), [{ kind: 'Fault', fill: '#f00', totalMs: 150 }])
  })

  it('A metric has the name of its type and subtype in words, and the unit of MTConnect', () => {
    assert.equal(metricName({ type: 'ROTARY_VELOCITY', subtype: 'ACTUAL' }), 'Rotary velocity, actual')
    assert.equal(metricName({ type: 'x:COOLANT', subtype: '' }), 'Coolant')
    const unitOf = (type: string, subtype = '') => metricUnit({ type, subtype })
    assert.deepEqual(
      ['ROTARY_VELOCITY', 'LOAD', 'LINE', 'constructor'].map(type => unitOf(type)),
      ['rev/min', '%', '', ''],
    )
    assert.deepEqual(
      ['ACTUAL', 'OVERRIDE'].map(subtype => unitOf('PATH_FEEDRATE', subtype)),
      ['mm/s', '%'],
    )
    assert.equal(unitOf('x:COOLANT', 'OVERRIDE'), '')
  })
})
