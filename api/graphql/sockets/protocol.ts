import type { GraphQLFormattedError } from 'graphql'
import { DEPRECATED_GRAPHQL_WS_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType } from 'graphql-ws'
import type { OperationRequest } from '../subscriptions/prepare.ts'

/** A client's message, independent of the protocol. */
export type ClientMessage =
  | { readonly kind: 'init'; readonly payload: unknown }
  | { readonly kind: 'start'; readonly id: string; readonly request: OperationRequest }
  | { readonly kind: 'stop'; readonly id: string }
  | { readonly kind: 'ping' | 'pong' | 'terminate' }

/** A WebSocket subprotocol: its messages, and where it differs from the other one. */
export interface Protocol {
  readonly name: string
  /** Converts a parsed message; null: invalid. */
  read(message: unknown): ClientMessage | null
  readonly acknowledged: string
  readonly pong: string | null
  /** Sent every few seconds; null: never. */
  readonly keepAlive: string | null
  /** The text before and after a result. */
  next(id: string): readonly [before: string, after: string]
  error(id: string, errors: readonly GraphQLFormattedError[]): string
  complete(id: string): string
  /** A message with the reason before the connection is closed; null: the close frame contains the reason. */
  rejected(error: GraphQLFormattedError): string | null
  /** Whether clients may send operations before they are acknowledged, and reuse the id of an operation. */
  readonly isLenient: boolean
}

/** Maximum length of an operation's id. */
const maxIdChars = 200

/** The protocol of the library graphql-ws: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md */
const transport: Protocol = {
  name: GRAPHQL_TRANSPORT_WS_PROTOCOL,
  read: message => {
    const { type, id, payload } = fieldsOf(message)
    switch (type) {
      case MessageType.ConnectionInit:
        return { kind: 'init', payload }
      case MessageType.Subscribe:
        return parseStart(id, payload)
      case MessageType.Complete:
        return parseStop(id)
      case MessageType.Ping:
        return { kind: 'ping' }
      case MessageType.Pong:
        return { kind: 'pong' }
      default:
        return null
    }
  },
  acknowledged: JSON.stringify({ type: MessageType.ConnectionAck }),
  pong: JSON.stringify({ type: MessageType.Pong }),
  keepAlive: null,
  next: id => around(id, MessageType.Next),
  error: (id, payload) => JSON.stringify({ id, type: MessageType.Error, payload }),
  complete: id => JSON.stringify({ id, type: MessageType.Complete }),
  rejected: () => null,
  isLenient: false,
}

/** The older protocol of subscriptions-transport-ws, which is no longer developed. */
const legacy: Protocol = {
  name: DEPRECATED_GRAPHQL_WS_PROTOCOL,
  read: message => {
    const { type, id, payload } = fieldsOf(message)
    switch (type) {
      case 'connection_init':
        return { kind: 'init', payload }
      case 'start':
        return parseStart(id, payload)
      case 'stop':
        return parseStop(id)
      case 'connection_terminate':
        return { kind: 'terminate' }
      default:
        return null
    }
  },
  acknowledged: JSON.stringify({ type: 'connection_ack' }),
  pong: null,
  keepAlive: JSON.stringify({ type: 'ka' }),
  next: id => around(id, 'data'),
  error: (id, errors) => JSON.stringify({ id, type: 'error', payload: { errors } }),
  complete: id => JSON.stringify({ id, type: 'complete' }),
  rejected: payload => JSON.stringify({ type: 'connection_error', payload }),
  isLenient: true,
}

/** The protocols in order of preference. */
const protocols: readonly Protocol[] = [transport, legacy]

/** The preferred protocol that the client offers; null: none. */
export function protocolAmong(offered: ReadonlySet<string>): Protocol | null {
  return protocols.find(({ name }) => offered.has(name)) ?? null
}

interface Fields {
  readonly type?: unknown
  readonly id?: unknown
  readonly payload?: unknown
}

function fieldsOf(message: unknown): Fields {
  return isObject(message) ? message : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseStart(id: unknown, payload: unknown): ClientMessage | null {
  if (!isId(id) || !isObject(payload)) return null
  const { query, operationName = null, variables } = payload
  const values = variables ?? {}
  const isNamed = operationName === null || typeof operationName === 'string'
  if (typeof query !== 'string' || !isNamed || !isObject(values)) return null
  return { kind: 'start', id, request: { query, operationName: operationName || null, variables: values } }
}

function parseStop(id: unknown): ClientMessage | null {
  return isId(id) ? { kind: 'stop', id } : null
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= maxIdChars
}

function around(id: string, type: string): readonly [string, string] {
  return [`{"id":${JSON.stringify(id)},"type":"${type}","payload":`, '}']
}
