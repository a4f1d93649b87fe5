import type { MachineGroupRecord } from '../records.ts'
import { list, name, nullable, object, partial, schema, text, uuid } from './json-schema.ts'

export interface MachineGroupAnswer extends Pick<MachineGroupRecord, 'id' | 'name'> {
  /** By name of the machine. */
  readonly machineIds: readonly string[]
}

export const machineGroup = schema<MachineGroupAnswer>(object({ id: text, name: text, machineIds: list(uuid) }))

/** Body of `PUT /machine-groups/:id`. */
export const machineGroupInput = {
  ...partial({
    name,
    machineIds: { ...nullable(list(uuid)), description: 'All machines of the group; left out: it keeps those it has' },
  }),
  required: ['name'],
  examples: [{ name: 'Mills', machineIds: [] }],
}
