import type { SourceError } from '../source/source.ts'
import type { ProtocolVersion } from './broker-client.ts'

/** How a connection has ended. */
export interface EndedConnection {
  readonly error: SourceError
  /** Whether the broker was reached but did not answer as a broker of the version: it may support another one. */
  readonly mayNotSupportVersion: boolean
}

/**
 * Connects to a broker with the first of these versions that it supports; `connect` resolves with null if the caller has
 * ended the connection. Otherwise rejects with the error of the last connection: a broker that closes connections without
 * an answer, as some do for versions that they do not support, may as well be stopping.
 */
export async function connectWithFirstVersion(
  versions: readonly ProtocolVersion[],
  connect: (version: ProtocolVersion) => Promise<EndedConnection | null>,
): Promise<void> {
  let ended: EndedConnection | null = null
  for (const version of versions) {
    ended = await connect(version)
    if (ended?.mayNotSupportVersion !== true) break
  }
  if (ended !== null) throw ended.error
}
