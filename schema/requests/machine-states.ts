import { statuses } from '../document.ts'
import { exampleIds } from '../example-ids.ts'
import {
  bool,
  described,
  instant,
  int,
  integer,
  list,
  looseInstant,
  named,
  nullable,
  object,
  type Infer,
  oneOf,
  uuid,
  withExamples,
} from '../types.ts'

/** Maximum number of machines and steps, and maximum range in days, of `POST /machines/states`. */
export const stateLimits = { machines: 1000, points: 200, defaultPoints: 96, days: 7 } as const

/** Body of `POST /machines/states`. */
export const machineStatesInput = named(
  'MachineStatesInput',
  withExamples(
    object(
      {
        machineIds: list(uuid, { minItems: 1, maxItems: stateLimits.machines }),
        start: looseInstant,
        end: looseInstant,
        points: described(
          integer(1, stateLimits.points),
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
export type MachineStatesInput = Infer<typeof machineStatesInput>

const state = named(
  'MachineStateSteps',
  object({
    status: described(
      nullable(named('StepStatus', oneOf(statuses))),
      'The status of most of the time of the step; null: before the machine was commissioned, or in the future',
    ),
    scheduled: described(bool, 'Whether most of the time with this status is in a shift'),
    steps: described(int, 'Number of consecutive steps'),
  }),
)

/** Response of `POST /machines/states`. */
export const machineStates = named(
  'MachineStates',
  object({
    start: instant,
    stepMs: described(int, 'Length of a step'),
    machines: list(
      named('MachineStatesOfMachine', object({ machineId: uuid, states: described(list(state), 'By time') })),
    ),
  }),
)
export type MachineStates = Infer<typeof machineStates>
export type MachineStateSteps = Infer<typeof state>
