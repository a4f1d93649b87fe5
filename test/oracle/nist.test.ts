import { noteSkipped } from '../support/skipped.ts'
import { expect } from 'chai'
import { aMachine } from './build.ts'
import { dataItems, daysOf, hasNist, isEventful, nistDays, readLine } from './nist.ts'

const probe = `<Devices>
  <Device name='Hurco01' uuid='u1' id='Hurco01'><DataItems>
    <DataItem category="EVENT" id="Hurco01-path_5" name="Program_Status" type="EXECUTION" />
    <DataItem category="EVENT" id="Hurco01-path_4" name="Part_Count" type="PART_COUNT" subType="ALL" />
  </DataItems></Device>
  <Device id="Mazak03" name="Mazak03" uuid="u2"><DataItems>
    <DataItem type='EXECUTION' category='EVENT' id='Mazak03-path_10' name='execution'/>
    <DataItem type='LOGIC_PROGRAM' category='CONDITION' id='Mazak03-path_11' name='logic_cond'/>
    <DataItem type='X' category='SAMPLE' id='nameless'/>
  </DataItems></Device></Devices>`

function recorded(machine: string, log: string) {
  const items = dataItems(probe).get(machine) ?? new Map<string, never>()
  return log
    .trim()
    .split('\n')
    .map(line => readLine(line.trim(), machine, items))
}

describe('oracle: recorded logs', () => {
  it('Log lines are read by the data items of the probe document', () => {
    const items = dataItems(probe)
    expect([...items.keys()]).to.deep.equal(['Hurco01', 'Mazak03'])
    expect(items.get('Hurco01')?.get('Part_Count')).to.deep.equal({
      type: 'PART_COUNT',
      subtype: 'ALL',
      category: 'EVENT',
    })
    expect(items.get('Mazak03')?.get('nameless')?.type).to.equal('X')
    const [line] = recorded('Mazak03', '2016-11-02T08:35:10.205Z|logic_cond|Warning|381|s|HIGH| (SET UP SWITCH)')
    expect(line).to.deep.equal({
      machineId: 'Mazak03',
      timestamp: '2016-11-02T08:35:10.205Z',
      key: 'logic_cond',
      type: 'LOGIC_PROGRAM',
      category: 'CONDITION',
      value: 'Warning',
      nativeCode: '381',
      nativeSeverity: 's',
      qualifier: 'HIGH',
      message: ' (SET UP SWITCH)',
    })
  })

  it('A recorded day of a Hurco has the times of four cycles that were computed by hand', () => {
    // The first and the last cycles of 18 May 2017 as recorded. In cycle for 42.422 + 0.531 + 0.500 + 178.797 s.
    const samples = recorded(
      'Hurco01',
      `2017-05-18T08:57:45.4375000Z|Program_Status|UNAVAILABLE
       2017-05-18T08:59:38.3437500Z|Part_Count|3226
       2017-05-18T08:59:38.3437500Z|Program_Status|READY
       2017-05-18T09:15:50.7343750Z|Program_Status|ACTIVE
       2017-05-18T09:16:33.1562500Z|Program_Status|FEED_HOLD
       2017-05-18T09:16:33.4062500Z|Program_Status|ACTIVE
       2017-05-18T09:16:33.9375000Z|Program_Status|FEED_HOLD
       2017-05-18T09:17:30.0468750Z|Program_Status|ACTIVE
       2017-05-18T09:17:30.5468750Z|Program_Status|FEED_HOLD
       2017-05-18T09:17:33.0312500Z|Program_Status|ACTIVE
       2017-05-18T09:17:33.0312500Z|Program_Status|ACTIVE
       2017-05-18T09:20:31.828393Z|Program_Status|UNAVAILABLE`,
    )
    const [day] = daysOf(samples, aMachine({ id: 'Hurco01' }), Date.parse('2017-05-18T10:00:00Z'))
    const inCycleMs = 222_250
    // Known from 08:59:38.343 to 09:20:31.828.
    const knownMs = 1_253_485
    expect(day).to.deep.include({ day: '2017-05-18', inCycleMs, cycles: 4, parts: 0, alarms: 0 })
    expect(day?.statusMs).to.deep.equal({
      // From the first sample, 08:57:45.437, to 10:00 without the known time.
      UNAVAILABLE: 3_734_563 - knownMs,
      INACTIVE: knownMs - inCycleMs,
      ACTIVE: inCycleMs,
      FAULT: 0,
    })
  })

  it('A recorded day of a Mazak has two concurrent codes, one cleared by its code and one by clearing all', () => {
    const samples = recorded(
      'Mazak03',
      `2016-11-01T19:06:12.121708Z|logic_cond|Unavailable||||
       2016-11-02T08:33:59.553Z|logic_cond|Normal||||
       2016-11-02T08:34:46.661Z|execution|STOPPED
       2016-11-02T08:35:10.205Z|logic_cond|Warning|381||| (SET UP SWITCH)
       2016-11-02T08:35:10.205Z|logic_cond|Warning|252|||DECELERATION SENSOR MALF.
       2016-11-02T08:35:13.159Z|logic_cond|Normal|252|||
       2016-11-02T08:35:17.155Z|logic_cond|Normal||||
       2016-11-02T08:35:18.276Z|logic_cond|Warning|381||| (SET UP SWITCH)
       2016-11-02T08:35:24.846Z|logic_cond|Normal||||`,
    )
    const days = daysOf(samples, aMachine({ id: 'Mazak03' }), Date.parse('2016-11-02T09:00:00Z'))
    expect(days.map(it => [it.day, it.alarms, it.statusMs.INACTIVE])).to.deep.equal([
      ['2016-11-01', 0, 0],
      ['2016-11-02', 3, 1_513_339],
    ])
  })

  it('The recorded logs give the same days as counts with other tools', function () {
    if (!hasNist()) {
      noteSkipped('tests on recorded machines', 'the recordings are not part of the project')
      this.skip()
    }
    const days = nistDays({ machines: ['Hurco01', 'Mazak03'], untilMs: Date.parse('2017-06-15T00:00:00Z') })
    const of = (machine: string, day: string) => days.find(it => it.machine === machine && it.day === day)
    expect(of('Hurco01', '2017-05-18')).to.deep.equal({
      machine: 'Hurco01',
      day: '2017-05-18',
      statusMs: { UNAVAILABLE: 85_146_515, INACTIVE: 977_438, ACTIVE: 276_047, FAULT: 0 },
      inCycleMs: 276_047,
      cycles: 12,
      parts: 0,
      alarms: 0,
    })
    // One fault: tool not found, 11:41:33.606 to 11:41:52.162.
    expect(of('Mazak03', '2016-11-02')).to.deep.include({ inCycleMs: 12_117_617, cycles: 171, alarms: 10, parts: 0 })
    expect(of('Mazak03', '2016-11-02')?.statusMs.FAULT).to.equal(18_556)
    expect(days.filter(isEventful).map(it => it.day)).to.include('2017-06-13')
  })
})
