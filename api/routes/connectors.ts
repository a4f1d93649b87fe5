import { type ConnectorRecord, type ConnectorResponse, connectorResponse } from '../../schema/records/connector.ts'
import { connectorSecretNames, maxSecretBytes, secretFileFields } from '../../schema/records/connector-secrets.ts'
import { credentialsProblem } from '../../schema/records/connector-address.ts'
import { type FieldError, fieldError, validationError } from '../../schema/errors.ts'
import { defined } from '../../shared/collections/defined.ts'
import { pick } from '../../shared/collections/pick.ts'
import { literalIp } from '../../shared/literal-ip.ts'
import { byName } from '../../processors/records/sorted-by-machine.ts'
import { canonicalId } from '../../processors/records/record-ids.ts'
import { anyOf } from '../auth/scopes.ts'
import { presentHealth } from '../connectors/present-health.ts'
import type { ConnectorsPort, RecordsPort } from '../ports/ports.ts'
import { type Prepared, recordRoutes, withoutCompany } from './record-routes.ts'

type Deps = ConnectorsPort & RecordsPort

export const connectorRoutes = recordRoutes({
  kind: 'connector',
  path: '/connectors',
  read: anyOf('connector.read'),
  write: anyOf('connector'),
  output: connectorResponse,
  present,
  prepare,
  list: { summary: 'All connectors, by name' },
  order: byName,
  get: { summary: 'One connector' },
  put: {
    summary: 'Create or replace a connector',
    description:
      'A machine has at most one connector. A machine without `staleAfterMs` gets 60,000 when it is assigned to a connector of another kind than `http`; this applies to past data too. An IP address must be in an allowed network (`TAKT_CONNECT_ALLOW`).',
  },
  delete: { summary: 'Delete a connector', description: 'Samples that it has delivered stay.' },
})

function present(record: ConnectorRecord, deps: Deps): ConnectorResponse {
  const { secrets, ...shown } = withoutCompany(record)
  const stored = connectorSecretNames.filter(name => secrets[name] !== undefined)
  return {
    ...shown,
    secrets: { ...Object.fromEntries(stored.map(name => [name, true])), ...defined(pick(secrets, secretFileFields)) },
    ...presentHealth(record, deps),
  }
}

/**
 * Checks what the registrar cannot, and encrypts the secrets: the log contains no secret, not even of a rejected
 * request.
 */
function prepare(body: unknown, { id, caller }: Prepared, deps: Deps): unknown {
  if (!isObject(body)) return body
  const { address, secrets } = body
  const errors = [...findAddressErrors(address, deps), ...findSecretErrors(secrets, deps)]
  if (errors.length > 0) throw validationError(errors)
  if (!isObject(secrets)) return body
  const path = `${caller.company.id}/${canonicalId(String(id))}`
  const encrypted = connectorSecretNames.map(name => {
    const value = secrets[name]
    return [name, typeof value === 'string' ? deps.connectorSecrets?.encrypt(value, `${path}/${name}`) : value]
  })
  return { ...body, secrets: { ...pick(secrets, secretFileFields), ...Object.fromEntries(encrypted) } }
}

/** Returns what is wrong with the user, password and network of an address. */
export function findAddressErrors(address: unknown, { connectorNetworks, records }: Deps): readonly FieldError[] {
  if (typeof address !== 'string') return []
  const credentials = credentialsProblem(address)
  if (credentials !== null) return [fieldError('address', 'InvalidDataItem', `address ${credentials}`)]
  const ip = literalIp(address)
  if (ip === null || connectorNetworks.allows(ip, records.companies().length === 1)) return []
  const message = `address ${ip} is not in an allowed network: an administrator can add it to TAKT_CONNECT_ALLOW`
  return [fieldError('address', 'InvalidDataItem', message)]
}

function findSecretErrors(secrets: unknown, deps: Deps): readonly FieldError[] {
  if (secrets === undefined || secrets === null) return []
  if (!isObject(secrets)) return [fieldError('secrets', 'InvalidType', 'secrets must be object')]
  return [...findTextErrors(secrets, deps), ...findSecretFileErrors(secrets, deps)]
}

/** Returns an error for each file that a request names if this process has no folder with files of secrets. */
export function findSecretFileErrors(
  secrets: Readonly<Record<string, unknown>>,
  { hasSecretFolder }: Pick<Deps, 'hasSecretFolder'>,
): readonly FieldError[] {
  return secretFileFields
    .filter(field => !hasSecretFolder && typeof secrets[field] === 'string')
    .map(field => `secrets.${field}`)
    .map(field => fieldError(field, 'InvalidDataItem', `${field} requires the setting TAKT_CONNECT_SECRETS`))
}

function findTextErrors(
  secrets: Readonly<Record<string, unknown>>,
  { connectorSecrets }: Pick<Deps, 'connectorSecrets'>,
): readonly FieldError[] {
  return connectorSecretNames.flatMap(name => {
    const value = secrets[name]
    const field = `secrets.${name}`
    if (typeof value !== 'string') return []
    if (connectorSecrets === null)
      return [fieldError(field, 'InvalidDataItem', `${field} requires the setting TAKT_CONNECT_SECRET_FILE`)]
    return Buffer.byteLength(value) <= maxSecretBytes
      ? []
      : [fieldError(field, 'OutOfRange', `${field} must have at most ${maxSecretBytes} bytes`)]
  })
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
