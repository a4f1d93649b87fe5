import { Type } from 'typebox'
import { connectorInput, connectorKinds } from '../records/connector.ts'
import { trialSecrets } from '../records/connector-secrets.ts'
import { connectorStates } from '../connector-health.ts'
import { statuses } from '../document.ts'
import * as t from '../types.ts'

/** Limits of a trial of a connector: time, samples, and bytes of its recording or response. */
export const trialLimits = { seconds: 120, samples: 10_000, bytes: 1_048_576 } as const

const keys = (description: string) => t.described(t.list(t.text), description)

/** Device of a source, and the keys that determine the state, parts and alarms of its machine. */
const discoveredDevice = t.named(
  'DiscoveredDevice',
  t.object({
    name: t.text,
    uuid: t.nullable(t.text),
    make: t.nullable(t.text),
    model: t.nullable(t.text),
    paths: keys('Paths, which may become machines of their own'),
    state: keys('Keys that determine the state; none: the machine would always be UNAVAILABLE'),
    spindle: t.list(t.text),
    parts: t.list(t.text),
    alarms: t.list(t.text),
    countsSingleParts: t.described(t.bool, 'The part counter of the machine is then `increment`'),
    machineId: t.described(t.nullable(t.uuid), 'Machine of the company with the same name'),
  }),
)

/** Topic of a broker, or key of an adapter. */
const discoveredValue = t.named(
  'DiscoveredValue',
  t.object({
    name: t.described(t.text, 'Topic, or key'),
    count: t.described(t.int, 'Number of values since the previous line'),
    example: t.described(t.text, 'The last value, shortened'),
  }),
)

const problem = t.named(
  'TrialProblem',
  t.object({ state: t.named('TrialState', t.oneOf(connectorStates)), message: t.text }),
  'Why a source cannot be read, as the state of a connector',
)

export const discovery = t.named(
  'Discovery',
  t.object({
    devices: t.described(t.list(discoveredDevice), 'Devices of the probe document'),
    values: t.described(
      t.list(discoveredValue),
      'Topics or keys with new values, by name; at most 2,000 of a response',
    ),
    recording: t.described(
      t.list(t.text),
      'New lines that were read, as `POST /connectors/try` accepts them; at most 512 KiB of a response',
    ),
    problem: t.nullable(problem),
  }),
  'What was found in a source since the previous line',
)
export type Discovery = t.Infer<typeof discovery>
export type DiscoveredDevice = Discovery['devices'][number]

export const discoverInput = t.named(
  'DiscoverInput',
  t.withExamples(
    t.object(
      {
        kind: t.named('DiscoveredKind', t.oneOf(connectorKinds)),
        address: t.described(t.nullable(Type.String({ minLength: 1, maxLength: 2_000 })), 'Not for the kind http'),
        machineId: t.described(t.nullable(t.uuid), 'http: the machine whose stored samples of the last hour are read'),
        topics: t.described(
          t.nullable(t.list(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 1_000 })),
          'MQTT: topics as in rules; default: all',
        ),
        user: t.nullable(t.shortText),
        secrets: t.nullable(trialSecrets),
        devices: t.described(t.nullable(Type.String({ maxLength: 100_000 })), 'SHDR: text of a probe document'),
        seconds: t.described(
          t.nullable(t.integer(1, trialLimits.seconds)),
          'How long a broker or an adapter is read; default: 5',
        ),
      },
      ['address', 'machineId', 'topics', 'user', 'secrets', 'devices', 'seconds'],
    ),
    { kind: 'mtconnect', address: 'http://192.168.10.20:5000' },
  ),
)
export type DiscoverInput = t.Infer<typeof discoverInput>

const trialSample = t.named(
  'TrialSample',
  t.object(
    {
      machineId: t.text,
      timestamp: t.text,
      key: t.text,
      type: t.text,
      subtype: t.text,
      value: t.unsafe<string | number>({ type: ['string', 'number'] }),
      category: t.text,
      nativeCode: t.text,
      message: t.text,
    },
    ['subtype', 'category', 'nativeCode', 'message'],
  ),
)
export type TrialSample = t.Infer<typeof trialSample>

/** A machine after the samples of a trial, with the keys that have determined it so far. */
const trialMachine = t.named(
  'TrialMachine',
  t.object({
    machineId: t.text,
    status: t.named('TrialStatus', t.oneOf(statuses)),
    since: t.described(t.nullable(t.instant), 'null: no sample has determined the state'),
    partCount: t.described(t.int, 'Parts that the samples count'),
    alarms: t.described(t.list(t.text), 'Active alarms: their messages, codes or keys; at most 20'),
    state: t.list(t.text),
    spindle: t.list(t.text),
    parts: t.list(t.text),
    alarmKeys: t.list(t.text),
  }),
)
export type TrialMachine = t.Infer<typeof trialMachine>

const skipped = t.named(
  'TrialSkipped',
  t.object({ reason: t.text, count: t.int, example: t.text }),
  'Values that gave no sample',
)

/** Changes since the previous line of a preview. */
export const previewUpdate = t.named(
  'PreviewUpdate',
  t.object({
    state: t.described(t.named('PreviewState', t.oneOf(connectorStates)), '`disabled`: the preview has ended'),
    problem: t.described(t.nullable(t.text), 'The last problem in words'),
    sampleCount: t.described(t.int, 'Samples since the start'),
    samples: t.described(t.list(trialSample), 'The newest sample of each key with a new one'),
    machines: t.list(trialMachine),
    unmapped: t.described(t.int, 'Values without a rule since the start'),
  }),
)
export type PreviewUpdate = t.Infer<typeof previewUpdate>

const trialConnector = t.described(connectorInput, 'Body of PUT /connectors/:id. Its machines need not exist')

export const previewInput = t.named('PreviewInput', t.object({ connector: trialConnector }))

export const tryInput = t.named(
  'TryInput',
  t.withExamples(
    t.object({
      connector: trialConnector,
      recording: t.described(
        t.list(t.text, { maxItems: 20_000 }),
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

export const trialResult = t.named(
  'TrialResult',
  t.object({
    samples: t.described(t.list(trialSample), `At most 1,000`),
    sampleCount: t.int,
    isCut: t.described(
      t.bool,
      `Whether the recording has more than ${trialLimits.samples} samples: the rest was not read`,
    ),
    machines: t.list(trialMachine),
    skipped: t.list(skipped),
  }),
)
export type TrialResult = t.Infer<typeof trialResult>
