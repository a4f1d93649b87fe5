import { channelPath, isChannel, type Channel, type CloseReason } from '../../../schema/api/live.ts'
import type { Receiver } from '../connection.ts'

/** Largest message that a client may send, bytes. */
export const maxMessageBytes = 1_048_576

/** A connection with more than this waiting to be sent has no room, bytes. */
export const highWaterBytes = 65_536

/** Clients are asked this often whether they are still there, and closed when they have not answered after as long again. */
export const heartbeatMs = 25_000

/** Codes of the close frame; the reason goes with it as text. */
export const closeCodes: Readonly<Record<CloseReason, number>> = {
  going_away: 1012,
  slow_reader: 1013,
  invalid_token: 4401,
  insufficient_scope: 4403,
}

/** The channel that the path of a plain WebSocket names; null: none. */
export function channelOf(url: string): Channel | null {
  const path = url.split('?', 1)[0] ?? ''
  const name = path.startsWith(channelPath) ? path.slice(channelPath.length).replace(/\/$/, '') : ''
  return isChannel(name) ? name : null
}

/** Hands on a message `{"event", "data"}`; what can't be read is answered like an unknown command. */
export function receiveText(receiver: Receiver, text: string): void {
  const message = parse(text)
  receiver.receive(message.event, message.data)
}

function parse(text: string): { readonly event: string; readonly data: unknown } {
  const unreadable = { event: '', data: null }
  try {
    const message: unknown = JSON.parse(text)
    if (typeof message !== 'object' || message === null || !('event' in message)) return unreadable
    const { event } = message
    return typeof event === 'string' ? { event, data: 'data' in message ? message.data : null } : unreadable
  } catch {
    return unreadable
  }
}
