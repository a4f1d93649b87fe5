import { Type } from 'typebox'
import { exampleIds } from '../example-ids.ts'
import { connectorHealthFields } from './connector-health.ts'
import { connectorSecretsInput, connectorSecretsResponse, storedSecrets } from './connector-secrets.ts'
import * as t from '../types.ts'

/** Protocols of the sources of connectors. `http`: senders post samples, which the connector maps. */
export const connectorKinds = ['mtconnect', 'shdr', 'mqtt', 'http'] as const
export type ConnectorKind = (typeof connectorKinds)[number]

const connectorKind = t.named('ConnectorKind', t.oneOf(connectorKinds))
const dayMs = 86_400_000
const timeOffsetMs = t.described(t.integer(-366 * dayMs, 366 * dayMs), 'Added to every time of the source, ms')
/** Up to 1,000 texts by name. */
const names = (values: typeof t.uuid) =>
  t.unsafe<Readonly<Record<string, string>>>({ ...t.recordOf(values), maxProperties: 1_000 })

const machineFields = {
  source: t.withDefault(
    t.described(
      t.nullable(Type.String({ minLength: 1, maxLength: 500 })),
      'Device, or topic in which `{name}` captures a level',
    ),
    null,
  ),
  machineId: t.described(
    t.unsafe<string | Readonly<Record<string, string>>>({
      type: ['string', 'object'],
      maxLength: 200,
      maxProperties: 1_000,
      additionalProperties: t.uuid,
    }),
    'Id of the machine, ids by captured value, or `{name}`',
  ),
  paths: t.withDefault(t.described(names(t.uuid), 'MTConnect: machines of paths, by name or id of the path'), {}),
  expand: t.withDefault(
    t.described(
      t.list(t.name, { maxItems: 50 }),
      'MTConnect: entries of data sets and tables that are samples of their own, such as `vars.T1`',
    ),
    [],
  ),
  timeOffsetMs: t.withDefault(timeOffsetMs, 0),
}
const connectorMachine = t.named('ConnectorMachine', t.object(machineFields))
export type ConnectorMachine = t.Infer<typeof connectorMachine>
const connectorMachineInput = t.named('ConnectorMachineInput', t.inputSchema(machineFields, {}))

/** `$` is the payload, `@` the element of `each`. */
const path = Type.String({ maxLength: 500, format: 'valuePath' })
const ruleFields = {
  from: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Topic with `{name}`, `+` and `#`, or key of the sample',
  }),
  equals: t.described(
    t.longText,
    'The rule applies only if the payload, or the value of a posted sample, is this text',
  ),
  unavailable: t.described(t.bool, 'All delivered keys of the machine become UNAVAILABLE; not for the kind http'),
  each: Type.String({
    maxLength: 500,
    format: 'elementPath',
    description: 'Path with `[*]`; each element gives a sample. Not for the kind http',
  }),
  value: t.described(path, 'Path to the value, by default `$`, with `each` `@`'),
  time: t.described(path, 'Path to the time: ISO 8601, or a number in `timeUnit`'),
  timeUnit: t.described(t.named('TimeUnit', t.oneOf(['s', 'ms', 'us', 'ns'])), 'Default: ms'),
  key: t.name,
  type: t.name,
  subtype: t.name,
  category: t.named('MappedCategory', t.oneOf(['SAMPLE', 'EVENT', 'CONDITION'])),
  nativeCode: t.described(path, 'Path to a text or number; without a match there is no sample'),
  nativeSeverity: path,
  qualifier: path,
  message: path,
  invert: t.described(t.bool, 'Exchanges true and false, 1 and 0'),
  map: t.described(
    t.unsafe<Readonly<Record<string, string>>>({ ...t.recordOf(t.longText), maxProperties: 1_000 }),
    'Values by text, after `invert`; `*` is the rest. Without a match there is no sample',
  ),
  scale: t.described(t.number, 'Factor of the value, after `map`'),
  offset: t.described(t.number, 'Added after `scale`'),
  round: t.described(t.integer(0, 15), 'Number of decimals'),
  deadband: t.described(
    Type.Number({ minimum: 0 }),
    'Skips changes smaller than this from the last delivered value; requires the category SAMPLE. Not for the kind http',
  ),
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names of the fields
export const ruleFieldNames = Object.keys(ruleFields) as readonly (keyof typeof ruleFields)[]
const optionalRuleFields = ruleFieldNames.filter(each => each !== 'from')
const mappingRule = t.named('MappingRule', t.object(ruleFields, optionalRuleFields))
export type MappingRule = t.Infer<typeof mappingRule>

const optionFields = {
  start: t.withDefault(t.named('ConnectorStart', t.oneOf(['now', 'buffer'])), 'now'),
  intervalMs: t.withDefault(t.integer(10, 60_000), 500),
  sourceHeartbeatMs: t.withDefault(t.integer(1_000, 60_000), 10_000),
  count: t.withDefault(t.integer(1, 10_000), 2_000),
  heartbeatMs: t.withDefault(t.integer(5_000, 30_000), 20_000),
  timeOffsetMs: t.withDefault(timeOffsetMs, 0),
  time: t.withDefault(t.named('ConnectorTime', t.oneOf(['source', 'received'])), 'source'),
  devices: t.withDefault(
    t.described(t.nullable(Type.String({ maxLength: 100_000 })), 'Text of a probe document'),
    null,
  ),
  user: t.withDefault(t.nullable(t.shortText), null),
  brokerQueue: t.withDefault(
    t.described(
      t.integer(0, 1_000_000_000),
      'MQTT: number of messages that the broker keeps while the connector is away; 0: no limit',
    ),
    1_000,
  ),
  samplesTopic: t.withDefault(
    t.described(
      t.nullable(Type.String({ minLength: 1, maxLength: 500, pattern: '^[^+#]+$' })),
      'MQTT: topic whose messages are bodies of POST /ingest/samples; null: there is none',
    ),
    'takt/samples',
  ),
}
const connectorOptions = t.named('ConnectorOptions', t.object(optionFields))
const connectorOptionsInput = t.named('ConnectorOptionsInput', t.inputSchema(optionFields, {}))
/** Default options of a connector. */
export const defaultConnectorOptions = t.defaultsOf(optionFields)
/** Default settings of a machine of a connector. */
export const defaultConnectorMachine = t.defaultsOf(machineFields)

const fields = {
  name: t.name,
  kind: connectorKind,
  address: t.withDefault(t.nullable(Type.String({ minLength: 1, maxLength: 2_000 })), null),
  enabled: t.withDefault(t.bool, true),
  /** Identity of the source in the numbers of samples; by default the connector's id. */
  sourceId: t.id,
  machines: t.withDefault(t.list(connectorMachine, { maxItems: 1_000 }), []),
  rules: t.withDefault(t.list(mappingRule, { maxItems: 1_000 }), []),
  options: connectorOptions,
  /** Encrypted, or names of files. */
  secrets: storedSecrets,
}

export const connector = t.object({ id: t.id, companyId: t.text, ...fields })
export type ConnectorRecord = t.Infer<typeof connector>

/** Request body for a connector: omitted and null fields get their defaults. */
export const connectorInput = t.named(
  'ConnectorInput',
  t.withExamples(
    t.inputSchema(fields, {
      sourceId: t.described(t.nullable(t.id), 'By default the id of the connector'),
      machines: t.nullable(t.list(connectorMachineInput, { maxItems: 1_000 })),
      options: t.nullable(connectorOptionsInput),
      secrets: t.described(
        t.nullable(connectorSecretsInput),
        'Omitted or true: the stored secret stays; null: the secret is deleted. A secret replaces the name of its file, and the reverse; both together are rejected. If the scheme, host or port of the address changes, each stored secret and name must be sent again or deleted',
      ),
    }),
    {
      name: 'Lathes',
      kind: 'mtconnect',
      address: 'http://192.168.10.20:5000',
      machines: [{ source: 'Lathe-1', machineId: exampleIds.machine }],
    },
  ),
)

/** Response for a connector; a stored secret is `true`, a file of a secret its name. */
export const connectorResponse = t.named(
  'Connector',
  t.object({
    ...t.without(connector, 'companyId', 'secrets').properties,
    secrets: connectorSecretsResponse,
    ...connectorHealthFields,
  }),
)
export type ConnectorResponse = t.Infer<typeof connectorResponse>
