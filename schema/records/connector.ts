import { Type } from 'typebox'
import { exampleIds } from '../example-ids.ts'
import { connectorHealthFields } from './connector-health.ts'
import { connectorSecretsInput, connectorSecretsResponse, storedSecrets } from './connector-secrets.ts'
import {
  bool,
  described,
  defaultsOf,
  id,
  inputSchema,
  type Infer,
  integer,
  list,
  longText,
  name,
  named,
  nullable,
  number,
  object,
  oneOf,
  recordOf,
  shortText,
  text,
  unsafe,
  uuid,
  withDefault,
  withExamples,
  without,
} from '../types.ts'

/** Protocols of the sources of connectors. `http`: senders post samples, which the connector maps. */
export const connectorKinds = ['mtconnect', 'shdr', 'mqtt', 'http'] as const
export type ConnectorKind = (typeof connectorKinds)[number]

const connectorKind = named('ConnectorKind', oneOf(connectorKinds))
const dayMs = 86_400_000
const timeOffsetMs = described(integer(-366 * dayMs, 366 * dayMs), 'Added to every time of the source, ms')
/** Up to 1,000 texts by name. */
const names = (values: typeof uuid) =>
  unsafe<Readonly<Record<string, string>>>({ ...recordOf(values), maxProperties: 1_000 })

const machineFields = {
  source: withDefault(
    described(
      nullable(Type.String({ minLength: 1, maxLength: 500 })),
      'Device, or topic in which `{name}` captures a level',
    ),
    null,
  ),
  machineId: described(
    unsafe<string | Readonly<Record<string, string>>>({
      type: ['string', 'object'],
      maxLength: 200,
      maxProperties: 1_000,
      additionalProperties: uuid,
    }),
    'Id of the machine, ids by captured value, or `{name}`',
  ),
  paths: withDefault(described(names(uuid), 'MTConnect: machines of paths, by name or id of the path'), {}),
  expand: withDefault(
    described(
      list(name, { maxItems: 50 }),
      'MTConnect: entries of data sets and tables that are samples of their own, such as `vars.T1`',
    ),
    [],
  ),
  timeOffsetMs: withDefault(timeOffsetMs, 0),
}
const connectorMachine = named('ConnectorMachine', object(machineFields))
export type ConnectorMachine = Infer<typeof connectorMachine>
const connectorMachineInput = named('ConnectorMachineInput', inputSchema(machineFields, {}))

/** `$` is the payload, `@` the element of `each`. */
const path = Type.String({ maxLength: 500, format: 'valuePath' })
const ruleFields = {
  from: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Topic with `{name}`, `+` and `#`, or key of the sample',
  }),
  equals: described(longText, 'The rule applies only if the payload, or the value of a posted sample, is this text'),
  unavailable: described(bool, 'All delivered keys of the machine become UNAVAILABLE; not for the kind http'),
  each: Type.String({
    maxLength: 500,
    format: 'elementPath',
    description: 'Path with `[*]`; each element gives a sample. Not for the kind http',
  }),
  value: described(path, 'Path to the value, by default `$`, with `each` `@`'),
  time: described(path, 'Path to the time: ISO 8601, or a number in `timeUnit`'),
  timeUnit: described(named('TimeUnit', oneOf(['s', 'ms', 'us', 'ns'])), 'Default: ms'),
  key: name,
  type: name,
  subtype: name,
  category: named('MappedCategory', oneOf(['SAMPLE', 'EVENT', 'CONDITION'])),
  nativeCode: described(path, 'Path to a text or number; without a match there is no sample'),
  nativeSeverity: path,
  qualifier: path,
  message: path,
  invert: described(bool, 'Exchanges true and false, 1 and 0'),
  map: described(
    unsafe<Readonly<Record<string, string>>>({ ...recordOf(longText), maxProperties: 1_000 }),
    'Values by text, after `invert`; `*` is the rest. Without a match there is no sample',
  ),
  scale: described(number, 'Factor of the value, after `map`'),
  offset: described(number, 'Added after `scale`'),
  round: described(integer(0, 15), 'Number of decimals'),
  deadband: described(
    Type.Number({ minimum: 0 }),
    'Skips changes smaller than this from the last delivered value; requires the category SAMPLE. Not for the kind http',
  ),
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the names of the fields
export const ruleFieldNames = Object.keys(ruleFields) as readonly (keyof typeof ruleFields)[]
const optionalRuleFields = ruleFieldNames.filter(each => each !== 'from')
const mappingRule = named('MappingRule', object(ruleFields, optionalRuleFields))
export type MappingRule = Infer<typeof mappingRule>

const optionFields = {
  start: withDefault(named('ConnectorStart', oneOf(['now', 'buffer'])), 'now'),
  intervalMs: withDefault(integer(10, 60_000), 500),
  sourceHeartbeatMs: withDefault(integer(1_000, 60_000), 10_000),
  count: withDefault(integer(1, 10_000), 2_000),
  heartbeatMs: withDefault(integer(5_000, 30_000), 20_000),
  timeOffsetMs: withDefault(timeOffsetMs, 0),
  time: withDefault(named('ConnectorTime', oneOf(['source', 'received'])), 'source'),
  devices: withDefault(described(nullable(Type.String({ maxLength: 100_000 })), 'Text of a probe document'), null),
  user: withDefault(nullable(shortText), null),
  brokerQueue: withDefault(
    described(
      integer(0, 1_000_000_000),
      'MQTT: number of messages that the broker keeps while the connector is away; 0: no limit',
    ),
    1_000,
  ),
  samplesTopic: withDefault(
    described(
      nullable(Type.String({ minLength: 1, maxLength: 500, pattern: '^[^+#]+$' })),
      'MQTT: topic whose messages are bodies of POST /ingest/samples; null: there is none',
    ),
    'takt/samples',
  ),
}
const connectorOptions = named('ConnectorOptions', object(optionFields))
const connectorOptionsInput = named('ConnectorOptionsInput', inputSchema(optionFields, {}))
/** Default options of a connector. */
export const defaultConnectorOptions = defaultsOf(optionFields)
/** Default settings of a machine of a connector. */
export const defaultConnectorMachine = defaultsOf(machineFields)

const fields = {
  name,
  kind: connectorKind,
  address: withDefault(nullable(Type.String({ minLength: 1, maxLength: 2_000 })), null),
  enabled: withDefault(bool, true),
  /** Identity of the source in the numbers of samples; by default the connector's id. */
  sourceId: id,
  machines: withDefault(list(connectorMachine, { maxItems: 1_000 }), []),
  rules: withDefault(list(mappingRule, { maxItems: 1_000 }), []),
  options: connectorOptions,
  /** Encrypted, or names of files. */
  secrets: storedSecrets,
}

export const connector = object({ id, companyId: text, ...fields })
export type ConnectorRecord = Infer<typeof connector>

/** Request body for a connector: omitted and null fields get their defaults. */
export const connectorInput = named(
  'ConnectorInput',
  withExamples(
    inputSchema(fields, {
      sourceId: described(nullable(id), 'By default the id of the connector'),
      machines: nullable(list(connectorMachineInput, { maxItems: 1_000 })),
      options: nullable(connectorOptionsInput),
      secrets: described(
        nullable(connectorSecretsInput),
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
export const connectorResponse = named(
  'Connector',
  object({
    ...without(connector, 'companyId', 'secrets').properties,
    secrets: connectorSecretsResponse,
    ...connectorHealthFields,
  }),
)
export type ConnectorResponse = Infer<typeof connectorResponse>
