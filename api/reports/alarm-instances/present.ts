import type { AlarmInstanceRow, AlarmInstancesAnswer } from '../../../schema/requests/alarm-instances.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { AlarmInstancesRequest } from './request.ts'
import type { FoundInstance } from './run.ts'

/** Pure: the answer to `POST /reports/alarm/instances`. */
export function presentInstances(
  { from, limit, direction }: AlarmInstancesRequest,
  found: readonly FoundInstance[],
  nowMs: number,
): AlarmInstancesAnswer {
  return {
    entities: { machine: Object.fromEntries(found.map(({ machine: { id, name } }) => [id, { id, name }])) },
    range: {
      start: from.form === 'start' ? isoText(from.startMs) : null,
      limit,
      direction,
      startId: from.form === 'startId' ? from.startId : null,
    },
    instances: found.map(instance => rowOf(instance, nowMs)),
  }
}

/** One instance as a row. */
function rowOf({ instance, machine, endMs }: FoundInstance, nowMs: number): AlarmInstanceRow {
  const { id, level, nativeCode, message, startMs } = instance
  return {
    alarmId: id,
    durationMs: (endMs ?? nowMs) - startMs,
    state: level,
    machineId: machine.id,
    nativeCode,
    message,
    start: isoText(startMs),
    end: endMs === null ? null : isoText(endMs),
  }
}
