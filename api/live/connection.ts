import type { CloseReason } from '../../schema/api/live.ts'
import type { Frame } from './frame.ts'

/** One client on one channel, as a transport sees it: what the core needs of it. */
export interface Connection {
  /** Sends frames in their order. False: they are taken, and there is no room for more until `Receiver.roomAgain`. */
  write(frames: readonly Frame[]): boolean
  /** Ends it, telling why where the transport can. */
  close(reason: CloseReason): void
}

/** What a transport calls. */
export interface Receiver {
  /** A command came. `reply` is called once with the outcome. */
  receive(command: string, data: unknown, reply?: (outcome: unknown) => void): void
  roomAgain(): void
  /** The connection is gone. */
  closed(): void
}
