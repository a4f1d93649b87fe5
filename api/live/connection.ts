import type { CloseReason } from '../../schema/requests/live.ts'
import type { Frame, Outgoing } from './frame.ts'

/** One client, as a transport sees it: what the core needs of it. */
export interface Connection<Sent extends Outgoing = Frame> {
  /** Sends frames in order. False: they are buffered, and the connection is full until `Receiver.roomAgain`. */
  write(frames: readonly Sent[]): boolean
  /** Ends it, telling why where the transport can. */
  close(reason: CloseReason): void
}

/** A message as it came. Nothing of it is decoded or parsed until pace and bounds allow it. */
export interface RawMessage {
  readonly bytes: number
  /** Its text, good beyond the call that brought the message; empty if it is not UTF-8. */
  text(): string
  /** Finds command and payload in the text; null: invalid message. */
  read(text: string): ReadMessage | null
}

export interface ReadMessage {
  readonly command: string
  readonly data: unknown
}

/** The side of a connection that a transport calls. */
export interface Receiver {
  /** A command came. `reply` is called once with the outcome. */
  receive(message: RawMessage, reply?: (outcome: unknown) => void): void
  /** A ping or pong of the WebSocket itself came: it is counted with the commands. */
  control(bytes: number): void
  roomAgain(): void
  /** The connection is gone. */
  closed(): void
}
