import { exampleIds } from '../example-ids.ts'
import * as t from '../types.ts'

export const machineGroup = t.object({ id: t.id, ref: t.int, companyId: t.text, name: t.name })
export type MachineGroupRecord = t.Infer<typeof machineGroup>

/** Response for a machine group, with its machines ordered by name. */
export const machineGroupResponse = t.named(
  'MachineGroup',
  t.object({ id: t.text, name: t.text, machineIds: t.list(t.uuid) }),
)

/** Request body for a machine group. */
export const machineGroupInput = t.named(
  'MachineGroupInput',
  t.withExamples(
    t.object(
      {
        name: t.name,
        machineIds: t.described(
          t.nullable(t.list(t.uuid, { maxItems: 10_000 })),
          'All machines of the group; if omitted, they stay unchanged',
        ),
      },
      ['machineIds'],
    ),
    { name: 'Lathes', machineIds: [exampleIds.machine] },
  ),
)
