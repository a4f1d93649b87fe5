import type { AlarmInstancesAnswer } from '../../../schema/requests/alarm-instances.ts'
import type { FileColumn, FileTable } from '../../files/table.ts'

const columns: readonly FileColumn[] = [
  { name: 'alarmId', title: 'Alarm id', kind: 'integer' },
  { name: 'machineId', title: 'Machine id', kind: 'text' },
  { name: 'machine', title: 'Machine', kind: 'text' },
  { name: 'state', title: 'State', kind: 'text' },
  { name: 'nativeCode', title: 'Native code', kind: 'text' },
  { name: 'message', title: 'Message', kind: 'text' },
  { name: 'start', title: 'Start', kind: 'instant' },
  { name: 'end', title: 'End', kind: 'instant' },
  { name: 'durationMs', title: 'Duration', kind: 'ms' },
]

/** Pure: the instances of a page as a file holds them. */
export function instancesTable({ instances, entities }: AlarmInstancesAnswer): FileTable {
  const rows = instances.map(instance => {
    const { alarmId, machineId, state, nativeCode, message, start, end, durationMs } = instance
    const machine = entities.machine[machineId]?.name ?? null
    return [alarmId, machineId, machine, state, nativeCode, message, start, end, durationMs]
  })
  return { columns, rows }
}
