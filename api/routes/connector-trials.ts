import { Readable } from 'node:stream'
import { findMappingErrors } from '../../processors/registrar/commands/connector-mapping.ts'
import { findDoubleSecrets } from '../../processors/registrar/commands/connector-secrets.ts'
import { toConnector } from '../../processors/registrar/commands/connector.ts'
import { canonicalId } from '../../processors/records/record-ids.ts'
import { canonicalName } from '../../schema/sample.ts'
import { errorWithin, type FieldError, fieldError, validationError } from '../../schema/errors.ts'
import { addressProblem } from '../../schema/records/connector-address.ts'
import type { ConnectorKind, ConnectorRecord } from '../../schema/records/connector.ts'
import { secretFields, sentSecrets } from '../../schema/records/connector-secrets.ts'
import {
  discoverInput,
  type DiscoverInput,
  type Discovery,
  previewInput,
  type PreviewUpdate,
  trialLimits,
  trialResult,
  tryInput,
} from '../../schema/requests/connector-trial.ts'
import type { Infer } from '../../schema/types.ts'
import type { Caller } from '../auth/caller.ts'
import { anyOf } from '../auth/scopes.ts'
import { jsonBody, route } from '../http/route.ts'
import type { ConnectorsPort, ConnectorTrialsPort, FoundSource, RecordsPort } from '../ports/ports.ts'
import { findAddressErrors, findSecretFileErrors } from './connectors.ts'

type Deps = ConnectorsPort & ConnectorTrialsPort & RecordsPort
type ConnectorInput = Infer<typeof previewInput>['connector']

const limits = `Ends after ${trialLimits.seconds} s, ${trialLimits.samples} samples or ${trialLimits.bytes} bytes.`
const enter = (caller: Caller, deps: Deps) => deps.connectorTrials.enter(caller.company.id)
const scope = anyOf('connector')

const discover = route('POST /connectors/discover', 'discoverSource', {
  summary: 'What a source has',
  description: `Opens a connection to the address, which must be in an allowed network (\`TAKT_CONNECT_ALLOW\`), and stores nothing. Sends what is found as lines of JSON (\`Discovery\`), every half a second at most: the devices of an MTConnect agent, or the topics of an MQTT broker or the keys of an SHDR adapter that come within \`seconds\`, at most ${trialLimits.seconds}. For the kind http it reads the samples that senders have posted for a machine in the last hour, without those that a rule of its connector has mapped. A source that cannot be read is a \`problem\`.`,
  scope,
  enter,
  body: jsonBody(discoverInput),
  output: { files: ['application/x-ndjson'] },
  handle: ({ body, caller, signal }, deps: Deps) => {
    const { id: companyId } = caller().company
    requireValid([
      ...findSourceErrors(body.kind, body.address ?? null, '', deps),
      ...findMachineErrors(body, companyId, deps),
      ...findDoubleSecrets(body.secrets),
      ...findSecretFileErrors(body.secrets ?? {}, deps),
    ])
    return lines('discovery', withMachines(deps.connectorTrials.discover(companyId, body, signal), companyId, deps))
  },
})

/** Posted samples are those of a machine of the company. */
function findMachineErrors({ kind, machineId }: DiscoverInput, companyId: string, deps: Deps): readonly FieldError[] {
  if (kind !== 'http') return []
  if (machineId == null) return [fieldError('machineId', 'Required', 'machineId is required for the kind http')]
  return deps.records.get('machine', companyId, canonicalId(machineId)) === null
    ? [fieldError('machineId', 'InvalidDataItem', `Machine '${machineId}' does not exist`)]
    : []
}

/** Adds the machines of the company that have the names of devices. */
async function* withMachines(
  found: AsyncIterable<FoundSource>,
  companyId: string,
  deps: Deps,
): AsyncGenerator<Discovery> {
  for await (const { devices, ...rest } of found) {
    const machines = devices.length === 0 ? [] : deps.records.list('machine', companyId)
    const idsByName = new Map(machines.map(({ id, name }) => [canonicalName(name), id]))
    const named = devices.map(device =>
      Object.assign({}, device, { machineId: idsByName.get(canonicalName(device.name)) ?? null }),
    )
    yield { ...rest, devices: named }
  }
}

const preview = route('POST /connectors/preview', 'previewConnector', {
  summary: 'What a connector would deliver',
  description: `Reads the source of a connector that is not saved, over a connection of its own, and sends what has changed as lines of JSON (\`PreviewUpdate\`), every half a second at most. An MTConnect agent is read from its latest 5,000 observations on. ${limits} Stored secrets are not used; files of secrets are those of the process that answers.`,
  scope,
  enter,
  body: jsonBody(previewInput),
  output: { files: ['application/x-ndjson'] },
  handle: ({ body, caller, signal }, deps: Deps) => {
    const { connector, secrets } = readConnector(body.connector, caller(), deps)
    if (connector.kind === 'http')
      throw validationError([
        fieldError('connector.kind', 'InvalidDataItem', 'connector.kind has no preview for the kind http'),
      ])
    return lines('preview', deps.connectorTrials.preview(connector, secrets, signal))
  },
})

const tryIt = route('POST /connectors/try', 'tryConnector', {
  summary: 'What a connector makes of a recording',
  description: `Applies a connector that is not saved to a recording, and stores nothing. At most ${trialLimits.samples} samples are read.`,
  scope,
  enter,
  body: jsonBody(tryInput),
  output: trialResult,
  handle: ({ body, caller, signal }, deps: Deps) => {
    const { connector } = readConnector(body.connector, caller(), deps)
    const bytes = body.recording.reduce((sum, line) => sum + Buffer.byteLength(line), 0)
    if (bytes > trialLimits.bytes)
      throw validationError([
        fieldError('recording', 'OutOfRange', `recording must have at most ${trialLimits.bytes} bytes`),
      ])
    return deps.connectorTrials.try(connector, body.recording, signal)
  },
})

export const connectorTrialRoutes = [discover, preview, tryIt]

/** Returns the record of an unsaved connector, and its secrets as sent. Throws an `ApiError` if it is invalid. */
function readConnector(input: ConnectorInput, caller: Caller, deps: Deps) {
  const { secrets = null, ...rest } = input
  const connector = toConnector({ id: 'trial', ...rest }, caller.company.id, null)
  requireValid([
    ...findSourceErrors(connector.kind, connector.address, 'connector.', deps),
    ...findMappingErrors(connector).map(error => errorWithin('connector.', error)),
    ...findStoredSecrets(secrets),
    ...[...findDoubleSecrets(secrets), ...findSecretFileErrors(secrets ?? {}, deps)].map(error =>
      errorWithin('connector.', error),
    ),
  ])
  return { connector: connector satisfies ConnectorRecord, secrets: sentSecrets(secrets) }
}

type Secrets = ConnectorInput['secrets']

/** A stored secret is never sent: the address of a trial may be another one. */
function findStoredSecrets(secrets: Secrets): readonly FieldError[] {
  return secretFields
    .filter(name => secrets?.[name] === true)
    .map(name => fieldError(`connector.secrets.${name}`, 'Required', `connector.secrets.${name} must be sent again`))
}

function findSourceErrors(
  kind: ConnectorKind,
  address: string | null,
  place: string,
  deps: Deps,
): readonly FieldError[] {
  const problem = addressProblem(kind, address)
  const errors = problem === null ? findAddressErrors(address, deps) : []
  return problem === null
    ? errors.map(error => errorWithin(place, error))
    : [fieldError(`${place}address`, 'InvalidDataItem', `${place}address ${problem}`)]
}

function requireValid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw validationError(errors)
}

/** A response with a line of JSON for each update. */
function lines(name: string, updates: AsyncIterable<Discovery | PreviewUpdate>) {
  return {
    content: Readable.from(linesOf(updates), { objectMode: false }),
    contentType: 'application/x-ndjson',
    fileName: `${name}.ndjson`,
    sizeBytes: null,
  }
}

async function* linesOf(updates: AsyncIterable<Discovery | PreviewUpdate>): AsyncGenerator<string> {
  for await (const update of updates) yield `${JSON.stringify(update)}\n`
}
