import * as t from '../types.ts'
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
export const machineConnection = t.named(
  'MachineConnection',
  t.object({
    connectorId: t.described(
      t.nullable(t.text),
      'null: no connector names the machine; senders may still post its samples',
    ),
    state: t.nullable(connectorState),
    since: t.described(
      t.nullable(t.instant),
      'Since when the source is connected, or is not; with `no_adapter` since when the source reports no state',
    ),
    problem: t.described(
      t.nullable(t.named('ConnectionProblem', t.oneOf(connectionProblems))),
      '`no_process`: no process with the role `connect` runs the connector. `no_state`: nothing has determined the state of the machine yet. `no_adapter`: the source is connected, and reports that the machine is unavailable',
    ),
    reason: t.described(
      t.nullable(t.text),
      'The problem in words, such as "agent unavailable since 10:04"; null: none',
    ),
    skewMs: machineSkewMs,
  }),
)
export type MachineConnection = t.Infer<typeof machineConnection>
export type ConnectionProblem = NonNullable<MachineConnection['problem']>
