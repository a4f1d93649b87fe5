import { assert } from 'chai'
import type { DowntimeRecordResponse, MicrostopsResponse } from '../../schema/requests/downtime-records.ts'
import { minuteMs } from '../../shared/time/units.ts'
import { canMerge, canSplit, countStops, listRows, maxRows, stopsIn } from '../../web/screens/downtime/list-rows.ts'

function stop(machineId: string, startMinute: number, minutes: number): DowntimeRecordResponse {
  const startMs = Date.UTC(2026, 2, 10, 8) + startMinute * minuteMs
  return {
    id: `${machineId}_${startMs}`,
    machineId,
    startAt: new Date(startMs).toISOString(),
    endAt: new Date(startMs + minutes * minuteMs).toISOString(),
    durationMs: minutes * minuteMs,
    inRangeMs: minutes * minuteMs,
    reasonId: 'uncategorized',
    reason: 'Uncategorized',
    reasonColor: null,
    annotationId: null,
    note: null,
  }
}

function short(machineId: string, recordCount: number, minutes: number): MicrostopsResponse {
  return { machineId, microstopMs: 2 * minuteMs, recordCount, inRangeMs: minutes * minuteMs }
}

const stops = [stop('lathe', 0, 30), stop('mill', 40, 5), stop('lathe', 60, 12)]
const microstops = [short('mill', 34, 20), short('saw', 2, 1)]
const shown = (order: 'start' | 'duration') =>
  listRows(stops, microstops, order).map(
    ({ kind, machineId, inRangeMs }) => `${kind} ${machineId} ${inRangeMs / minuteMs}`,
  )

describe('the rows of the list of stops', () => {
  it('The stops are in the order, and the short stops of machines after them, the greatest total first', () => {
    assert.deepEqual(shown('duration'), [
      'stop lathe 30',
      'stop lathe 12',
      'stop mill 5',
      'short mill 20',
      'short saw 1',
    ])
    assert.deepEqual(shown('start'), ['stop lathe 12', 'stop mill 5', 'stop lathe 30', 'short mill 20', 'short saw 1'])
  })

  it('The short stops of many machines displace no stop, and the list has a maximum length', () => {
    const many = Array.from({ length: maxRows + 50 }, (_, minute) => stop('lathe', minute, 1 + minute))
    const machines = Array.from({ length: maxRows + 50 }, (_, index) => short(`m${index}`, 3, 10_000 + index))
    for (const order of ['duration', 'start'] as const) {
      const rows = listRows(many, machines, order)
      assert.deepEqual(
        stopsIn(rows).map(({ id }) => id),
        many
          .toReversed()
          .slice(0, maxRows)
          .map(({ id }) => id),
      )
      assert.lengthOf(rows, 2 * maxRows)
    }
  })

  it('Short stops count as stops, and are neither split nor merged', () => {
    const rows = listRows(stops, microstops, 'start')
    assert.equal(countStops(rows), 3 + 34 + 2)
    const [lathe, mill, earlier, shortMill] = rows
    if (!lathe || !mill || !earlier || !shortMill) throw new Error('There are four rows')
    assert.isTrue(canSplit([lathe]))
    assert.isFalse(canSplit([shortMill]))
    assert.isFalse(canSplit([lathe, mill]))
    assert.isTrue(canMerge([lathe, earlier]))
    assert.isFalse(canMerge([lathe, mill]))
    assert.isFalse(canMerge([mill, shortMill]))
    assert.isFalse(canMerge([mill]))
  })
})
