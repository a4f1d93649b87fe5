import { assert } from 'chai'
import { between, stayApart, type TimeSpan } from '../../web/screens/downtime/undo.ts'

/** A stop between two minutes of an hour. */
function stop(from: number, to: number | null, reasonId: string, machineId = 'lathe'): TimeSpan {
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 10, 8, minute)).toISOString()
  return { id: `${machineId}_${from}`, machineId, startAt: at(from), endAt: to === null ? null : at(to), reasonId }
}

describe('stops after a change of their reason', () => {
  it('A stop remains separate if no neighbour has its new reason', () => {
    assert.isTrue(stayApart([stop(10, 20, '1')], [stop(0, 10, '2'), stop(20, 30, 'uncategorized')]))
    assert.isTrue(stayApart([stop(10, 20, '1')], [stop(0, 9, '1'), stop(21, 30, '1')]))
    assert.isTrue(stayApart([stop(10, 20, '1')], [stop(0, 10, '1', 'mill')]))
    assert.isTrue(stayApart([stop(10, null, '1')], [stop(0, 10, '2')]))
  })

  it('A stop merges with a neighbour that has its new reason, and so do adjacent changed stops', () => {
    assert.isFalse(stayApart([stop(10, 20, '1')], [stop(20, 30, '1')]))
    assert.isFalse(stayApart([stop(10, 20, '1')], [stop(0, 10, '1')]))
    assert.isFalse(stayApart([stop(10, 20, '1'), stop(20, 30, '1')], []))
    assert.isFalse(stayApart([stop(10, 20, 'uncategorized')], [stop(20, 30, 'setup')]))
  })

  it('Stops between the first and the last selected stop are found', () => {
    const chosen = [stop(40, 50, '1'), stop(10, 20, '1')]
    assert.deepEqual(
      between(chosen, [stop(0, 10, '2'), stop(20, 30, '2'), stop(50, 55, '2')]).map(({ id }) => id),
      ['lathe_20'],
    )
  })
})
