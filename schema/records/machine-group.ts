import { exampleIds } from '../example-ids.ts'
import {
  described,
  id,
  int,
  list,
  name,
  named,
  nullable,
  object,
  type Infer,
  text,
  uuid,
  withExamples,
} from '../types.ts'

export const machineGroup = object({ id, ref: int, companyId: text, name })
export type MachineGroupRecord = Infer<typeof machineGroup>

/** Response for a machine group, with its machines ordered by name. */
export const machineGroupResponse = named('MachineGroup', object({ id: text, name: text, machineIds: list(uuid) }))

/** Request body for a machine group. */
export const machineGroupInput = named(
  'MachineGroupInput',
  withExamples(
    object(
      {
        name,
        machineIds: described(
          nullable(list(uuid, { maxItems: 10_000 })),
          'All machines of the group; if omitted, they stay unchanged',
        ),
      },
      ['machineIds'],
    ),
    { name: 'Lathes', machineIds: [exampleIds.machine] },
  ),
)
