import { described, type Infer, instant, named, nullable, object, oneOf, text } from '../types.ts'
import { connectorState, machineSkewMs } from './connector-health.ts'

/** Reasons for which a machine gets no state from its connector. */
const connectionProblems = [
  'no_connector',
  'disabled',
  'no_process',
  'source_unavailable',
  'rejected',
  'invalid',
  'secret_unavailable',
  'catching_up',
  'no_state',
  'no_adapter',
] as const

/** Connection of a machine to its source, in responses. */
export const machineConnection = named(
  'MachineConnection',
  object({
    connectorId: described(nullable(text), 'null: no connector names the machine; senders may still post its samples'),
    state: nullable(connectorState),
    since: described(
      nullable(instant),
      'Since when the source is connected, or is not; with `no_adapter` since when the source reports no state',
    ),
    problem: described(
      nullable(named('ConnectionProblem', oneOf(connectionProblems))),
      '`no_process`: no process with the role `connect` runs the connector. `no_state`: nothing has determined the state of the machine yet. `no_adapter`: the source is connected, and reports that the machine is unavailable',
    ),
    reason: described(nullable(text), 'The problem in words, such as "agent unavailable since 10:04"; null: none'),
    skewMs: machineSkewMs,
  }),
)
export type MachineConnection = Infer<typeof machineConnection>
export type ConnectionProblem = NonNullable<MachineConnection['problem']>
