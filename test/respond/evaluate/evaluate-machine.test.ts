import { expect } from 'chai'
import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { evaluateMachine } from '../../../respond/evaluate/evaluate-machine.ts'
import { isMachineRule } from '../../../respond/evaluate/rules-of-machine.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import { hourMs, minuteMs, slotOf } from '../../../shared/time/units.ts'
import { Plant } from '../../processors/registrar/plant.ts'

const forMs = 5 * minuteMs

/** Evaluates two rules on stops of five minutes, half an hour after the start of a stop of the given length, ms. */
function evaluateStop(lengthMs: number) {
  const plant = new Plant()
  const fromMs = slotOf(plant.nowMs)
  const limitMs = fromMs + hourMs / 2
  for (const id of ['a', 'b'])
    plant.do('alertRule.put', { id, name: id, severity: 'info', condition: { stop: { reasons: [] } }, forMs })
  const result = evaluateMachine({
    machine: { id: plant.machine(), name: 'Mill' },
    rules: plant.records.list('alertRule', plant.companyId).filter(isMachineRule),
    callRules: [],
    incidents: [],
    history: {
      states: [
        { startMs: fromMs + 1, endMs: fromMs + 1 + lengthMs, status: 'INACTIVE', reason: 0, scheduled: true, shift: 0 },
      ],
      alarms: [],
    },
    activity: [],
    activityFromMs: Infinity,
    lateSampleMs: Infinity,
    commissioned: { startMs: fromMs, endMs: Infinity },
    shiftIds: new Map(),
    calendar: createCalendar(defaultCompanySettings, null),
    gaps: [],
    mayOpen: true,
    fromMs,
    settledFromMs: -Infinity,
    limitMs,
    evaluatedToMs: -Infinity,
    lateMs: Infinity,
    clockMs: limitMs,
    recordChangedMs: null,
  })
  if ('neededFromMs' in result) throw new Error('The history is long enough')
  const opened = result.changes.flatMap(change => (change.type === 'open' ? [change.ruleId] : []))
  return { opened, nextMs: result.next.limitMs - fromMs }
}

describe('evaluateMachine', () => {
  it('An incident of each rule opens if a stop lasts longer than `forMs`', () => {
    expect(evaluateStop(forMs + 1).opened).to.deep.equal(['a', 'b'])
    expect(evaluateStop(forMs)).to.deep.equal({ opened: [], nextMs: Infinity })
    expect(evaluateStop(1).opened).to.deep.equal([])
  })

  it('A stop that the documents continue beyond the limit has an instant of the next change', () => {
    const { opened, nextMs } = evaluateStop(hourMs - 1)
    expect(opened).to.deep.equal(['a', 'b'])
    expect(nextMs).to.equal(hourMs + 1)
  })
})
