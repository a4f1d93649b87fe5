import { lookup } from 'node:dns'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { subscriptionsOf } from '../mqtt/read-broker.ts'
import { SourceError, type SourceSecrets } from '../source/source.ts'
import { recordedMessage } from './found-values.ts'
import { listenAdapter } from './listen-adapter.ts'
import { listenBroker } from './listen-broker.ts'

export interface RecordOptions {
  readonly secrets: SourceSecrets
  /** Ends the recording. */
  readonly signal: AbortSignal
  /** UTC ms. */
  readonly clock: () => number
  readonly onLine: (line: string) => void
}

/**
 * Passes on the lines of a recording that `ConnectorTrial` reads, until the signal aborts. A broker sends the topics of the
 * rules. Rejects with a `SourceError` if the source cannot be read.
 */
export async function recordSource(connector: ConnectorRecord, options: RecordOptions): Promise<void> {
  const { secrets, signal, clock, onLine } = options
  const { user } = connector.options
  const connection = { address: connector.address ?? '', lookup, signal }
  if (connector.kind === 'mqtt') {
    const filters = subscriptionsOf(connector)
    const onMessage = (message: { topic: string; payload: Buffer }) =>
      onLine(recordedMessage(message.topic, message.payload, clock()))
    return listenBroker({ ...connection, user, secrets, filters, onMessage })
  }
  if (connector.kind === 'shdr') return listenAdapter({ ...connection, onLine })
  throw new SourceError(`A source of the kind ${connector.kind} cannot be recorded`, 'invalid')
}
