import { channelPath, isChannel, type Channel, type CloseReason } from '../../../schema/requests/live.ts'
import type { ReadMessage } from '../outbox/connection.ts'
import { parseMessage } from '../limits/message-limits.ts'

/** Unsent bytes above which a connection is full. */
export const highWaterBytes = 65_536

/** Ping interval; a client that has not replied after another interval is disconnected. */
export const heartbeatMs = 25_000

/** Codes of the close frame, which also contains the reason as text. */
export const closeCodes: Readonly<Record<CloseReason, number>> = {
  going_away: 1012,
  slow_reader: 1013,
  invalid_token: 4401,
  insufficient_scope: 4403,
  join_timeout: 4408,
  rate_limited: 4429,
  too_many_connections: 1013,
}

/**
 * The path of a URL with single slashes and none at its end, because clients join a base URL and a path in many ways.
 */
export function plainPath(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  const parts = path.slice(0, maxPathChars).split('/')
  return `/${parts.filter(part => part !== '').join('/')}`
}

/** Longer than every path of the service. */
const maxPathChars = 200

/** The channel of a plain WebSocket's path; null: none. */
export function findChannel(url: string): Channel | null {
  const path = plainPath(url)
  const name = path.startsWith(channelPath) ? path.slice(channelPath.length) : ''
  return isChannel(name) ? name : null
}

/** Parses a message `{"event", "data"}`. */
export function readPlainMessage(text: string): ReadMessage | null {
  const message = parseMessage(text)
  if (typeof message !== 'object' || message === null || !('event' in message)) return null
  const { event } = message
  return typeof event === 'string' ? { command: event, data: 'data' in message ? message.data : null } : null
}
