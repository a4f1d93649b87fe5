import { lookup } from 'node:dns'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { subscriptionsOf } from '../mqtt/read-broker.ts'
import { SourceError, type SourceSecrets } from '../source/source.ts'
import { recordedMessage } from './found-values.ts'
import { listenAdapter } from './listen-adapter.ts'
import { listenBroker } from './listen-broker.ts'
import { recordAgent } from './record-agent.ts'

export interface RecordOptions {
  readonly secrets: SourceSecrets
  /** Ends the recording. */
  readonly signal: AbortSignal
  /** UTC ms. */
  readonly clock: () => number
  /** Receives the lines; while it is full, the source waits. */
  readonly file: Writable
}

/**
 * Writes the lines, or documents of an agent, of a recording that `ConnectorTrial` reads, until the signal aborts, and
 * returns their number. A broker sends the topics of the rules. Rejects with a `SourceError` if the source cannot be read.
 */
export async function recordSource(connector: ConnectorRecord, options: RecordOptions): Promise<number> {
  const { secrets, signal, clock, file } = options
  const { user } = connector.options
  const connection = { address: connector.address ?? '', lookup, signal }
  let lines = 0
  const onLine = async (line: string) => {
    lines++
    if (!file.write(`${line}\n`)) await once(file, 'drain', { signal })
  }
  if (connector.kind === 'mqtt') {
    const filters = subscriptionsOf(connector)
    const onMessage = (message: { topic: string; payload: Buffer }) =>
      onLine(recordedMessage(message.topic, message.payload, clock()))
    await listenBroker({ ...connection, user, secrets, filters, onMessage })
  } else if (connector.kind === 'shdr') await listenAdapter({ ...connection, onLine })
  else if (connector.kind === 'mtconnect') {
    const { intervalMs } = connector.options
    await recordAgent({ ...connection, options: connector.options, secrets, intervalMs, onDocument: onLine })
  } else throw new SourceError(`A source of the kind ${connector.kind} cannot be recorded`, 'invalid')
  return lines
}
