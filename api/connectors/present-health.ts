import type { ConnectorBuffer, ConnectorHealth, ConnectorState } from '../../schema/connector-health.ts'
import type { ConnectorRecord, ConnectorResponse } from '../../schema/records/connector.ts'
import { connectorSecretNames } from '../../schema/records/connector-secrets.ts'
import type { connectorHealthFields } from '../../schema/records/connector-health.ts'
import { instantText } from '../../shared/time/instant.ts'
import type { ConnectorsPort, RecordsPort } from '../ports/ports.ts'

type Deps = Pick<ConnectorsPort, 'connectorHealth' | 'connectorSecrets'> & RecordsPort

/** State and health of a connector in responses and live messages. */
export type PresentedHealth = Pick<ConnectorResponse, keyof typeof connectorHealthFields>

/** Returns the state and health of a connector as responses show them. */
export function presentHealth(record: ConnectorRecord, deps: Deps): PresentedHealth {
  const health = findHealth(record, deps)
  return {
    state: stateOf(record, health, deps),
    since: toInstant(health?.sinceMs),
    unavailableSince: toInstant(health?.unavailableSinceMs),
    owner: health?.owner ?? null,
    lastHeard: toInstant(health?.lastHeardMs),
    lastError: health?.lastError ? { at: instantText(health.lastError.atMs), message: health.lastError.message } : null,
    observationsPerSecond: health?.observationsPerSecond ?? null,
    waitingBytes: health?.waitingBytes ?? null,
    buffer: health?.buffer ? toBuffer(health.buffer) : null,
    skewMs: health?.skewMs ?? null,
    lagMs: health?.lagMs ?? null,
    lastSamples: (health?.lastSamples ?? []).map(([machineId, atMs, skewMs]) => ({
      machineId,
      at: instantText(atMs),
      skewMs,
    })),
    warnings: health?.warnings ?? [],
    totals: health?.totals ?? null,
    lastGap: health?.lastGap ? toGap(health.lastGap) : null,
  }
}

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
  const isReadable = (secret = '') => connectorSecrets?.isReadable(secret) === true
  if (connectorSecretNames.some(name => secrets[name] !== undefined && !isReadable(secrets[name])))
    return 'secret_unavailable'
  return kind === 'http' ? 'connected' : 'disconnected'
}

function toBuffer({ samples, bytes, oldestMs }: ConnectorBuffer): ConnectorResponse['buffer'] {
  return { samples, bytes, oldest: toInstant(oldestMs) }
}

function toGap({ fromMs, toMs, lost }: NonNullable<ConnectorHealth['lastGap']>): ConnectorResponse['lastGap'] {
  return { from: instantText(fromMs), to: instantText(toMs), lost }
}

function toInstant(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : instantText(ms)
}
