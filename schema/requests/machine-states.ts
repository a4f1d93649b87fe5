import { statuses } from '../document.ts'
import { exampleIds } from '../example-ids.ts'
import * as t from '../types.ts'

/** Maximum number of machines and steps, and maximum range in days, of `POST /machines/states`. */
export const stateLimits = { machines: 1000, points: 200, defaultPoints: 96, days: 7 } as const

/** Body of `POST /machines/states`. */
export const machineStatesInput = t.named(
  'MachineStatesInput',
  t.withExamples(
    t.object(
      {
        machineIds: t.list(t.uuid, { minItems: 1, maxItems: stateLimits.machines }),
        start: t.looseInstant,
        end: t.looseInstant,
        points: t.described(
          t.integer(1, stateLimits.points),
          `Number of steps of equal length into which the range is divided; default ${stateLimits.defaultPoints}`,
        ),
      },
      ['points'],
    ),
    {
      machineIds: [exampleIds.machine],
      start: '2026-03-02T06:00:00.000Z',
      end: '2026-03-02T14:00:00.000Z',
      points: 96,
    },
  ),
)
export type MachineStatesInput = t.Infer<typeof machineStatesInput>

const state = t.named(
  'MachineStateSteps',
  t.object({
    status: t.described(
      t.nullable(t.named('StepStatus', t.oneOf(statuses))),
      'The status of most of the time of the step; null: before the machine was commissioned, or in the future',
    ),
    scheduled: t.described(t.bool, 'Whether most of the time with this status is in a shift'),
    steps: t.described(t.int, 'Number of consecutive steps'),
  }),
)

/** Response of `POST /machines/states`. */
export const machineStates = t.named(
  'MachineStates',
  t.object({
    start: t.instant,
    stepMs: t.described(t.int, 'Length of a step'),
    machines: t.list(
      t.named('MachineStatesOfMachine', t.object({ machineId: t.uuid, states: t.described(t.list(state), 'By time') })),
    ),
  }),
)
export type MachineStates = t.Infer<typeof machineStates>
export type MachineStateSteps = t.Infer<typeof state>
