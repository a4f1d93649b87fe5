import { exampleIds } from '../example-ids.ts'
import { described, id, int, list, name, named, nullable, object, type Of, text, uuid, withExamples } from '../types.ts'

export const machineGroup = object({ id, ref: int, companyId: text, name })
export type MachineGroupRecord = Of<typeof machineGroup>

/** Response for a machine group, with its machines by name. */
export const machineGroupAnswer = named('MachineGroup', object({ id: text, name: text, machineIds: list(uuid) }))

/** A machine group as a caller sends it. */
export const machineGroupInput = named(
  'MachineGroupInput',
  withExamples(
    object(
      {
        name,
        machineIds: described(
          nullable(list(uuid, { maxItems: 10_000 })),
          'All machines of the group; left out: it keeps those it has',
        ),
      },
      ['machineIds'],
    ),
    { name: 'Lathes', machineIds: [exampleIds.machine] },
  ),
)
