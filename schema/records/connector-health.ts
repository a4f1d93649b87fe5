import { connectorStates } from '../connector-health.ts'
import {
  described,
  instant,
  int,
  list,
  named,
  nullable,
  number,
  object,
  oneOf,
  recordOf,
  text,
  uuid,
} from '../types.ts'

export const connectorState = named('ConnectorState', oneOf(connectorStates))

const totals = named(
  'ConnectorTotals',
  object({
    observations: int,
    samples: described(int, 'Samples in the log, including heartbeats'),
    duplicates: described(int, 'Observations that were read again'),
    gaps: described(int, 'Losses that cannot be repaired'),
    lost: described(int, 'Lost observations, as far as their number is known'),
    holes: described(int, 'Observations that are missing without a lost connection'),
    backwards: described(int, 'Observations with a time before that of the previous one of their key'),
    poison: described(int, 'Documents that cannot be read'),
    unmapped: described(int, 'Values without a rule'),
    dropped: described(int, 'Samples that did not fit the buffer'),
    reconnects: int,
    restarts: described(int, 'Restarts of the source'),
    rejected: described(recordOf(int), 'Invalid samples by reason; they are dead letters'),
  }),
)

export const machineSkewMs = described(
  nullable(number),
  'How far the times of its samples, with their offsets, are ahead of the clock of the source, or of their receipt if the source reports no time; median of the last 20 deliveries, null: no sample came while the connector was connected',
)

/** State and health of a connector in responses; null: no process has reported it. */
export const connectorHealthFields = {
  state: described(
    connectorState,
    '`rejected`: the source denies access. `invalid`: the settings are wrong. `secret_unavailable`: TAKT_CONNECT_SECRET_FILE is not the key with which a secret was encrypted, or a file of TAKT_CONNECT_SECRETS cannot be read. `disconnected` without `owner`: no process with the role `connect` runs the connector',
  ),
  since: described(nullable(instant), 'Since when the connector has the state'),
  unavailableSince: described(
    nullable(instant),
    'Since when the source cannot be read, over all attempts to connect; null: it is connected, or has not been read yet',
  ),
  owner: described(nullable(text), 'Process that runs the connector'),
  lastHeard: nullable(instant),
  lastError: nullable(named('ConnectorError', object({ at: instant, message: text }))),
  observationsPerSecond: described(nullable(number), 'Mean of the last minute'),
  waitingBytes: described(nullable(int), 'Samples that wait for the log'),
  buffer: described(
    nullable(named('ConnectorBuffer', object({ samples: int, bytes: int, oldest: nullable(instant) }))),
    'Samples on disk that the log has not accepted yet; null: the connector has no buffer',
  ),
  skewMs: described(
    nullable(number),
    'How far the clock of the source is ahead of that of its process, median of the last 20 documents',
  ),
  lagMs: described(
    nullable(number),
    'Time of the source minus that of the newest delivered sample. It also grows while the source has nothing new',
  ),
  lastSamples: described(
    list(named('ConnectorLastSample', object({ machineId: uuid, at: instant, skewMs: machineSkewMs }))),
    'Time of the newest sample of each machine since the connector was started by its process',
  ),
  warnings: list(
    named(
      'ConnectorWarning',
      object({
        code: named('ConnectorWarningCode', oneOf(['clock_skew'])),
        message: text,
        timeOffsetMs: described(int, 'Proposed value of `options.timeOffsetMs`'),
      }),
    ),
  ),
  totals: described(nullable(totals), 'Since the connector was started by its process'),
  lastGap: nullable(
    described(
      named('ConnectorGap', object({ from: instant, to: instant, lost: nullable(int) })),
      'Last loss that cannot be repaired',
    ),
  ),
}
