import * as t from '../types.ts'
import { alertKinds } from '../records/alert-condition.ts'
import { alertKind } from '../records/alert-condition-schema.ts'
import type { Status } from '../document.ts'
import type { ConnectorResponse } from '../records/connector.ts'
import type { IncidentItem } from './incidents.ts'
import type { connectorHealthFields } from '../records/connector-health.ts'

/** The live channels, each at `/events/machine/<channel>`. */
export const channels = ['status', 'diagnostics', 'timeline', 'connectors', 'incidents'] as const
export type Channel = (typeof channels)[number]

export function isChannel(name: string): name is Channel {
  return channels.some(channel => channel === name)
}

export const channelPath = '/events/machine/'

/** Error codes of commands and channels. */
export const liveCodes = [
  'not_joined',
  'invalid_token',
  'insufficient_scope',
  'unsupported_stream',
  'invalid_machines',
  'unknown_machine',
  'invalid_request',
  'rate_limited',
  'too_many_connections',
  'join_timeout',
  'store_unavailable',
  'log_unavailable',
  'internal_error',
] as const
export type LiveCode = (typeof liveCodes)[number]

/** Reason for which the service closes a connection or a channel. */
export type CloseReason =
  | 'invalid_token'
  | 'insufficient_scope'
  | 'slow_reader'
  | 'going_away'
  | 'join_timeout'
  | 'too_many_connections'
  | 'rate_limited'

export interface LiveFailure {
  readonly code: LiveCode
  readonly message: string
  /** Machines that the error concerns. */
  readonly machineIds?: readonly string[]
  /** `requestId` of the failed `get_metrics`. */
  readonly requestId?: unknown
}

/** Payload of the command `join`. */
export const joinPayload = t.object({ token: t.text, stream: t.nullable(t.text) }, ['stream'])
export type JoinPayload = t.Infer<typeof joinPayload>

/** Maximum number of machines to which one connection subscribes on a channel. */
export const maxMachinesPerConnection = 20_000
export const machineIds = t.list(t.shortText, { maxItems: maxMachinesPerConnection })

/** Payload of the command `set_filter`; a missing or empty list selects all incidents. */
export const incidentFilter = t.partial({
  machineIds: t.nullable(machineIds),
  ruleIds: t.nullable(t.list(t.shortText, { maxItems: 1_000 })),
  kinds: t.nullable(t.list(alertKind, { maxItems: alertKinds.length })),
})
export type IncidentFilter = t.Infer<typeof incidentFilter>

/** An incident in messages of the channel `incidents`, as in `GET /incidents`. */
export interface IncidentUpdate {
  readonly incident: IncidentItem
  /** Whether a notice of the incident is for an alert target of the user. */
  readonly forYou: boolean
}

export type OneOrMore = string | readonly string[] | null
const oneOrMore = t.unsafe<OneOrMore>({
  anyOf: [t.nullable(t.shortText), t.list(t.shortText, { minItems: 1, maxItems: 200 })],
})

/** Selects samples of a machine; `key` or `type` is required. The response contains the selected values under `tag`. */
const metricDescriptor = t.partial({
  key: oneOrMore,
  type: oneOrMore,
  subtype: oneOrMore,
  tag: t.nullable(t.shortText),
})
export type MetricDescriptor = t.Infer<typeof metricDescriptor>

/** Maximum length of a request id as JSON, in characters. */
export const maxRequestIdChars = 1_000
/** Maximum number of names in all descriptors of one request. */
export const maxDescriptorNames = 1_000

/** Payload of the command `get_metrics`. If `endAt` is null or omitted, live values follow the history. */
export const getMetrics = t.object(
  {
    machineId: t.shortText,
    requestId: t.unsafe<unknown>({}),
    startAt: t.looseInstant,
    endAt: t.nullable(t.looseInstant),
    metrics: t.list(metricDescriptor, { minItems: 1, maxItems: 50 }),
  },
  ['requestId', 'endAt'],
)
export type GetMetrics = t.Infer<typeof getMetrics>

/** One value of a metric in messages of the channel `timeline`. */
export interface TimelineSample {
  readonly key: string
  readonly value: string
  readonly type: string
  readonly subtype: string
  readonly startUnixMs: number
}

/**
 * State of a connector in messages of the channel `connectors`, as in `GET /connectors`, without its settings and the last
 * samples of its machines.
 */
export type ConnectorUpdate = Pick<ConnectorResponse, 'id' | Exclude<keyof typeof connectorHealthFields, 'lastSamples'>>

export interface StatusUpdate {
  readonly machineId: string
  /** Since when the machine has the status: ISO 8601 with offset. */
  readonly timestamp: string
  readonly status: Status
  /** Present, like `faults`, only if the status is FAULT. */
  readonly message?: string
  readonly faults?: readonly {
    readonly key: string
    readonly type: string
    readonly value: string
    readonly timestamp: string
  }[]
}
