import { Type } from 'typebox'
import { connectorInput, connectorKinds } from '../records/connector.ts'
import { trialSecrets } from '../records/connector-secrets.ts'
import { connectorStates } from '../connector-health.ts'
import { statuses } from '../document.ts'
import {
  bool,
  described,
  type Infer,
  instant,
  int,
  integer,
  list,
  named,
  nullable,
  object,
  oneOf,
  shortText,
  text,
  unsafe,
  uuid,
  withExamples,
} from '../types.ts'

/** Limits of a trial of a connector: time, samples, and bytes of its recording or response. */
export const trialLimits = { seconds: 120, samples: 10_000, bytes: 1_048_576 } as const

const keys = (description: string) => described(list(text), description)

/** Device of a source, and the keys that determine the state, parts and alarms of its machine. */
const discoveredDevice = named(
  'DiscoveredDevice',
  object({
    name: text,
    uuid: nullable(text),
    make: nullable(text),
    model: nullable(text),
    paths: keys('Paths, which may become machines of their own'),
    state: keys('Keys that determine the state; none: the machine would always be UNAVAILABLE'),
    spindle: list(text),
    parts: list(text),
    alarms: list(text),
    countsSingleParts: described(bool, 'The part counter of the machine is then `increment`'),
    machineId: described(nullable(uuid), 'Machine of the company with the same name'),
  }),
)

/** Topic of a broker, or key of an adapter. */
const discoveredValue = named(
  'DiscoveredValue',
  object({
    name: described(text, 'Topic, or key'),
    count: described(int, 'Number of values since the previous line'),
    example: described(text, 'The last value, shortened'),
  }),
)

const problem = named(
  'TrialProblem',
  object({ state: named('TrialState', oneOf(connectorStates)), message: text }),
  'Why a source cannot be read, as the state of a connector',
)

export const discovery = named(
  'Discovery',
  object({
    devices: described(list(discoveredDevice), 'Devices of the probe document'),
    values: described(list(discoveredValue), 'Topics or keys with new values, by name; at most 2,000 of a response'),
    recording: described(
      list(text),
      'New lines that were read, as `POST /connectors/try` accepts them; at most 512 KiB of a response',
    ),
    problem: nullable(problem),
  }),
  'What was found in a source since the previous line',
)
export type Discovery = Infer<typeof discovery>
export type DiscoveredDevice = Discovery['devices'][number]

export const discoverInput = named(
  'DiscoverInput',
  withExamples(
    object(
      {
        kind: named('DiscoveredKind', oneOf(connectorKinds)),
        address: described(nullable(Type.String({ minLength: 1, maxLength: 2_000 })), 'Not for the kind http'),
        machineId: described(nullable(uuid), 'http: the machine whose stored samples of the last hour are read'),
        topics: described(
          nullable(list(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 1_000 })),
          'MQTT: topics as in rules; default: all',
        ),
        user: nullable(shortText),
        secrets: nullable(trialSecrets),
        devices: described(nullable(Type.String({ maxLength: 100_000 })), 'SHDR: text of a probe document'),
        seconds: described(
          nullable(integer(1, trialLimits.seconds)),
          'How long a broker or an adapter is read; default: 5',
        ),
      },
      ['address', 'machineId', 'topics', 'user', 'secrets', 'devices', 'seconds'],
    ),
    { kind: 'mtconnect', address: 'http://192.168.10.20:5000' },
  ),
)
export type DiscoverInput = Infer<typeof discoverInput>

const trialSample = named(
  'TrialSample',
  object(
    {
      machineId: text,
      timestamp: text,
      key: text,
      type: text,
      subtype: text,
      value: unsafe<string | number>({ type: ['string', 'number'] }),
      category: text,
      nativeCode: text,
      message: text,
    },
    ['subtype', 'category', 'nativeCode', 'message'],
  ),
)
export type TrialSample = Infer<typeof trialSample>

/** A machine after the samples of a trial, with the keys that have determined it so far. */
const trialMachine = named(
  'TrialMachine',
  object({
    machineId: text,
    status: named('TrialStatus', oneOf(statuses)),
    since: described(nullable(instant), 'null: no sample has determined the state'),
    partCount: described(int, 'Parts that the samples count'),
    alarms: described(list(text), 'Active alarms: their messages, codes or keys; at most 20'),
    state: list(text),
    spindle: list(text),
    parts: list(text),
    alarmKeys: list(text),
  }),
)
export type TrialMachine = Infer<typeof trialMachine>

const skipped = named('TrialSkipped', object({ reason: text, count: int, example: text }), 'Values that gave no sample')

/** Changes since the previous line of a preview. */
export const previewUpdate = named(
  'PreviewUpdate',
  object({
    state: described(named('PreviewState', oneOf(connectorStates)), '`disabled`: the preview has ended'),
    problem: described(nullable(text), 'The last problem in words'),
    sampleCount: described(int, 'Samples since the start'),
    samples: described(list(trialSample), 'The newest sample of each key with a new one'),
    machines: list(trialMachine),
    unmapped: described(int, 'Values without a rule since the start'),
  }),
)
export type PreviewUpdate = Infer<typeof previewUpdate>

const trialConnector = described(connectorInput, 'Body of PUT /connectors/:id. Its machines need not exist')

export const previewInput = named('PreviewInput', object({ connector: trialConnector }))

export const tryInput = named(
  'TryInput',
  withExamples(
    object({
      connector: trialConnector,
      recording: described(
        list(text, { maxItems: 20_000 }),
        'Lines, together at most 1 MiB. mqtt: {"at", "topic", "payload"}; shdr: lines of the adapter; http: the lines of a body of POST /ingest/samples; mtconnect: documents of the agent, the probe first',
      ),
    }),
    {
      connector: {
        name: 'PLC',
        kind: 'mqtt',
        address: 'mqtt://broker',
        machines: [{ source: 'plant/mill5', machineId: '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11' }],
        rules: [{ from: 'plant/mill5', value: '$.w4', key: 'execution', type: 'EXECUTION', map: { '3': 'ACTIVE' } }],
      },
      recording: ['{"at":"2026-11-23T08:00:00Z","topic":"plant/mill5","payload":{"w4":3}}'],
    },
  ),
)

export const trialResult = named(
  'TrialResult',
  object({
    samples: described(list(trialSample), `At most 1,000`),
    sampleCount: int,
    isCut: described(bool, `Whether the recording has more than ${trialLimits.samples} samples: the rest was not read`),
    machines: list(trialMachine),
    skipped: list(skipped),
  }),
)
export type TrialResult = Infer<typeof trialResult>
