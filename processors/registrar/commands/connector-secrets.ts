import type { Payload } from '../../../schema/commands/commands.ts'
import type { FieldError } from '../../../schema/errors.ts'
import type { ConnectorRecord } from '../../../schema/records/connector.ts'
import { connectorSecretNames, fileFieldOf, secretFields } from '../../../schema/records/connector-secrets.ts'
import { originOf } from '../../../schema/records/connector-origin.ts'
import { problem } from './connector-mapping.ts'

type Input = Payload<'connector.put'>['secrets']

/**
 * Returns the secrets of a connector after a request: of each secret the text or the file name that was sent, otherwise
 * the stored one. `before`: the stored record.
 */
export function mergeSecrets(input: Input, before: ConnectorRecord | null): ConnectorRecord['secrets'] {
  return Object.fromEntries(
    connectorSecretNames.flatMap(name => {
      const fields = [name, fileFieldOf(name)] as const
      const sent = fields.flatMap(field => {
        const value = input?.[field]
        return typeof value === 'string' ? [[field, value] as const] : []
      })
      if (sent.length > 0) return sent
      return fields.flatMap(field => {
        const value = input?.[field] === null ? undefined : before?.secrets[field]
        return value === undefined ? [] : [[field, value] as const]
      })
    }),
  )
}

/** Returns the errors of the secrets of a request. `after`: the record with `mergeSecrets`. */
export function findSecretErrors(
  input: Input,
  after: ConnectorRecord,
  before: ConnectorRecord | null,
): readonly FieldError[] {
  return [...findDoubleSecrets(input), ...findMissingSecrets(input, before), ...findMovedSecrets(input, after, before)]
}

/** A secret is either a text or a file: the caller decides which one applies. */
export function findDoubleSecrets(input: Input): readonly FieldError[] {
  return connectorSecretNames
    .filter(name => (input?.[name] ?? null) !== null && (input?.[fileFieldOf(name)] ?? null) !== null)
    .map(name => problem(`secrets.${fileFieldOf(name)}`, `cannot be sent together with secrets.${name}`))
}

function findMissingSecrets(input: Input, before: ConnectorRecord | null): readonly FieldError[] {
  return secretFields
    .filter(field => input?.[field] === true && before?.secrets[field] === undefined)
    .map(field => problem(`secrets.${field}`, 'is not stored: send its value'))
}

/** A secret is sent to the address for which it was given only: another address could read it. */
function findMovedSecrets(input: Input, after: ConnectorRecord, before: ConnectorRecord | null): readonly FieldError[] {
  if (before === null || originOf(before.address) === originOf(after.address)) return []
  return secretFields
    .filter(field => after.secrets[field] !== undefined && typeof input?.[field] !== 'string')
    .map(field =>
      problem(`secrets.${field}`, 'was stored for another scheme, host or port: send its value again, or null'),
    )
}
