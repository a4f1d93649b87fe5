import type { ConnectorHealth, ConnectorState } from '../../schema/connector-health.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { ConnectorsPort, RecordsPort } from '../ports/ports.ts'

/** Returns the health that the process of a connector has published; null: no process runs it. */
export function findHealth(
  { enabled, kind, companyId, id }: ConnectorRecord,
  { records, connectorHealth }: Pick<ConnectorsPort, 'connectorHealth'> & RecordsPort,
): ConnectorHealth | null {
  const company = records.company(companyId)
  return enabled && kind !== 'http' && company !== null ? connectorHealth.get(company.ref, id) : null
}

/** Returns the state of a connector with its health from `findHealth`. */
export function stateOf(
  { enabled, kind, secrets }: ConnectorRecord,
  health: ConnectorHealth | null,
  { connectorSecrets }: Pick<ConnectorsPort, 'connectorSecrets'>,
): ConnectorState {
  if (!enabled) return 'disabled'
  if (health !== null) return health.state
  const isReadable = (secret: string) => connectorSecrets?.isReadable(secret) === true
  if (!Object.values(secrets).every(isReadable)) return 'secret_unavailable'
  return kind === 'http' ? 'connected' : 'disconnected'
}
