import type { MachineRecord } from '../../schema/records/machine.ts'
import type { MachineInputs } from '../timeline/types.ts'
import { type DocumentChange, isDocumentChange } from './document-change.ts'
import { type CalendarOf, machineInputs } from './machine-inputs.ts'
import type { Records } from './records.ts'

/** `machineInputs`, remembered until a change of records touches them. */
export interface RememberedInputs {
  of(machine: MachineRecord): MachineInputs
  /** Ends the listening. */
  stop(): void
}

export function rememberInputs(records: Records, calendarOf: CalendarOf): RememberedInputs {
  const remembered = new Map<string, MachineInputs>()
  const stop = records.onChange(change => {
    if (!isDocumentChange(change)) return
    const machineId = machineOf(change)
    if (machineId === 'every') remembered.clear()
    else if (machineId !== 'none') remembered.delete(machineId)
  })
  return {
    of(machine) {
      const inputs = remembered.get(machine.id) ?? machineInputs(records, machine, calendarOf)
      remembered.set(machine.id, inputs)
      return inputs
    },
    stop,
  }
}

/** Whose inputs a change may touch. */
function machineOf(change: DocumentChange): string {
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
