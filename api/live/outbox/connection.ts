import type { CloseReason } from '../../../schema/requests/live.ts'
import type { Frame, Outgoing } from './frame.ts'

/** One client, as the core uses it; each transport implements it. */
export interface Connection<Sent extends Outgoing = Frame> {
  /** Sends frames in order. False: they are buffered, and the connection is full until `Receiver.onDrain`. */
  write(frames: readonly Sent[]): boolean
  /** Closes the connection, with the reason if the transport supports one. */
  close(reason: CloseReason): void
}

/** An undecoded message. It is decoded and parsed only after the rate and size limits were checked. */
export interface RawMessage {
  readonly bytes: number
  /** Its text, valid also after the call that delivered the message; empty if it is not UTF-8. */
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
  /** A command has arrived. `reply` is called once with the outcome. */
  receive(message: RawMessage, reply?: (outcome: unknown) => void): void
  /** A ping or pong of the WebSocket has arrived, which counts as a command. */
  control(bytes: number): void
  onDrain(): void
  /** The connection is closed. */
  closed(): void
}
