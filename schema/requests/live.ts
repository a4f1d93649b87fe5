import { list, looseInstant, nullable, object, type Of, partial, shortText, text, unsafe } from '../types.ts'
import type { Status } from '../document.ts'

/** The live channels, each at `/events/machine/<channel>`. */
export const channels = ['status', 'diagnostics', 'timeline'] as const
export type Channel = (typeof channels)[number]

export function isChannel(name: string): name is Channel {
  return channels.some(channel => channel === name)
}

export const channelPath = '/events/machine/'

/** Codes of what can be wrong with a command, or with a channel. */
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

/** Why the service ends a connection or a channel. */
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
  /** The machines that it is about. */
  readonly machineIds?: readonly string[]
  /** `requestId` of the `get_metrics` that it is about. */
  readonly requestId?: unknown
}

/** Payload of `join`. */
export const joinPayload = object({ token: text, stream: nullable(text) }, ['stream'])
export type JoinPayload = Of<typeof joinPayload>

/** Maximum number of machines that one connection follows on a channel. */
export const mostMachines = 20_000
export const machineIds = list(shortText, { maxItems: mostMachines })

export type OneOrMore = string | readonly string[] | null
const oneOrMore = unsafe<OneOrMore>({
  anyOf: [nullable(shortText), list(shortText, { minItems: 1, maxItems: 200 })],
})

/** Requested samples of a machine; `key` or `type` is required. The response contains their data under the `tag`. */
const metricDescriptor = partial({ key: oneOrMore, type: oneOrMore, subtype: oneOrMore, tag: nullable(shortText) })
export type MetricDescriptor = Of<typeof metricDescriptor>

/** Longest request id as JSON, in characters. */
export const mostRequestIdChars = 1_000
/** Maximum number of names in all descriptors of one request. */
export const mostDescriptorNames = 1_000

/** Payload of `get_metrics`. `endAt` null or left out: goes on live. */
export const getMetrics = object(
  {
    machineId: shortText,
    requestId: unsafe<unknown>({}),
    startAt: looseInstant,
    endAt: nullable(looseInstant),
    metrics: list(metricDescriptor, { minItems: 1, maxItems: 50 }),
  },
  ['requestId', 'endAt'],
)
export type GetMetrics = Of<typeof getMetrics>

/** One value of a metric as `timeline` tells it. */
export interface TimelineSample {
  readonly key: string
  readonly value: string
  readonly type: string
  readonly subtype: string
  readonly startUnixMs: number
}

export interface StatusUpdate {
  readonly machineId: string
  /** ISO 8601 with offset: since when. */
  readonly timestamp: string
  readonly status: Status
  /** With `faults` only where the status is FAULT. */
  readonly message?: string
  readonly faults?: readonly {
    readonly key: string
    readonly type: string
    readonly value: string
    readonly timestamp: string
  }[]
}
