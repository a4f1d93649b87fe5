import { connectorStates } from '../connector-health.ts'
import * as t from '../types.ts'

export const connectorState = t.named('ConnectorState', t.oneOf(connectorStates))

const totals = t.named(
  'ConnectorTotals',
  t.object({
    observations: t.int,
    samples: t.described(t.int, 'Samples in the log, including heartbeats'),
    duplicates: t.described(t.int, 'Observations that were read again'),
    gaps: t.described(t.int, 'Losses that cannot be repaired'),
    lost: t.described(t.int, 'Lost observations, as far as their number is known'),
    holes: t.described(t.int, 'Observations that are missing without a lost connection'),
    backwards: t.described(t.int, 'Observations with a time before that of the previous one of their key'),
    poison: t.described(t.int, 'Documents that cannot be read'),
    unmapped: t.described(t.int, 'Values without a rule'),
    dropped: t.described(t.int, 'Samples that did not fit the buffer'),
    reconnects: t.int,
    restarts: t.described(t.int, 'Restarts of the source'),
    rejected: t.described(t.recordOf(t.int), 'Invalid samples by reason; they are dead letters'),
  }),
)

export const machineSkewMs = t.described(
  t.nullable(t.number),
  'How far the times of its samples, with their offsets, are ahead of the clock of the source, or of their receipt if the source reports no time; median of the last 20 deliveries, null: no sample came while the connector was connected',
)

/** State and health of a connector in responses; null: no process has reported it. */
export const connectorHealthFields = {
  state: t.described(
    connectorState,
    '`rejected`: the source denies access. `invalid`: the settings are wrong. `secret_unavailable`: TAKT_CONNECT_SECRET_FILE is not the key with which a secret was encrypted, or a file of TAKT_CONNECT_SECRETS cannot be read. `disconnected` without `owner`: no process with the role `connect` runs the connector',
  ),
  since: t.described(t.nullable(t.instant), 'Since when the connector has the state'),
  unavailableSince: t.described(
    t.nullable(t.instant),
    'Since when the source cannot be read, over all attempts to connect; null: it is connected, or has not been read yet',
  ),
  owner: t.described(t.nullable(t.text), 'Process that runs the connector'),
  lastHeard: t.nullable(t.instant),
  lastError: t.nullable(t.named('ConnectorError', t.object({ at: t.instant, message: t.text }))),
  observationsPerSecond: t.described(t.nullable(t.number), 'Mean of the last minute'),
  waitingBytes: t.described(t.nullable(t.int), 'Samples that wait for the log'),
  buffer: t.described(
    t.nullable(t.named('ConnectorBuffer', t.object({ samples: t.int, bytes: t.int, oldest: t.nullable(t.instant) }))),
    'Samples on disk that the log has not accepted yet; null: the connector has no buffer',
  ),
  skewMs: t.described(
    t.nullable(t.number),
    'How far the clock of the source is ahead of that of its process, median of the last 20 documents',
  ),
  lagMs: t.described(
    t.nullable(t.number),
    'Time of the source minus that of the newest delivered sample. It also grows while the source has nothing new',
  ),
  lastSamples: t.described(
    t.list(t.named('ConnectorLastSample', t.object({ machineId: t.uuid, at: t.instant, skewMs: machineSkewMs }))),
    'Time of the newest sample of each machine since the connector was started by its process',
  ),
  warnings: t.list(
    t.named(
      'ConnectorWarning',
      t.object({
        code: t.named('ConnectorWarningCode', t.oneOf(['clock_skew'])),
        message: t.text,
        timeOffsetMs: t.described(t.int, 'Proposed value of `options.timeOffsetMs`'),
      }),
    ),
  ),
  totals: t.described(t.nullable(totals), 'Since the connector was started by its process'),
  lastGap: t.nullable(
    t.described(
      t.named('ConnectorGap', t.object({ from: t.instant, to: t.instant, lost: t.nullable(t.int) })),
      'Last loss that cannot be repaired',
    ),
  ),
}
