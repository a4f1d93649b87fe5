import type { MachineRecord } from '../../schema/records/machine.ts'
import type { MachineInputs } from '../timeline/types.ts'
import { type DocumentChange, isDocumentChange } from './document-change.ts'
import { type CalendarOf, machineInputs } from './machine-inputs.ts'
import type { Records } from './records.ts'

/** Cache of `machineInputs`: a change of records on which a machine's inputs depend removes them. */
export interface MachineInputCache {
  of(machine: MachineRecord): MachineInputs
  /** Removes the listener of changes. */
  stop(): void
}

export function createMachineInputCache(records: Records, calendarOf: CalendarOf): MachineInputCache {
  const cached = new Map<string, MachineInputs>()
  const stop = records.onChange(change => {
    if (!isDocumentChange(change)) return
    const machineId = affectedMachineOf(change)
    if (machineId === 'every') cached.clear()
    else if (machineId !== 'none') cached.delete(machineId)
  })
  return {
    of(machine) {
      const inputs = cached.get(machine.id) ?? machineInputs(records, machine, calendarOf)
      cached.set(machine.id, inputs)
      return inputs
    },
    stop,
  }
}

/** Returns the id of the machine whose inputs a change may affect, `every` or `none`. */
function affectedMachineOf(change: DocumentChange): string {
  switch (change.kind) {
    case 'machine':
      return change.id
    case 'jobRun':
    case 'operatorRun':
    case 'annotation':
    case 'partAdjustment':
      return sameMachine(change.before?.machineId, change.after?.machineId)
    case 'company':
    case 'schedule':
    case 'partAdjustmentType':
      return 'every'
  }
}

function sameMachine(before: string | undefined, after: string | undefined): string {
  if (before !== undefined && after !== undefined && before !== after) return 'every'
  return after ?? before ?? 'none'
}
