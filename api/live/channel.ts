import type { Channel, JoinPayload, LiveFailure } from '../../schema/requests/live.ts'
import type { Subscriber } from './subscriber.ts'

/** A client on a channel, as the channel sees it. */
export interface Member {
  readonly companyId: string
  readonly isJoined: boolean
  readonly subscriber: Subscriber
  send(event: string, data: unknown): void
  fail(failure: LiveFailure): void
}

/** Carries out a command of a member; what it answers is for the acknowledgement. Throws a `CommandFailed` for what the client did wrong. */
export type Action = (member: Member) => unknown

/**
 * Parses a command's payload when it comes; the action, which waits until those before it are done, keeps no more of the payload
 * than it needs. Throws a `CommandFailed` for what is wrong with the payload.
 */
export type ChannelCommand = (data: unknown) => Action

/** The parts of a channel that differ from other channels. */
export interface ChannelCore {
  readonly name: Channel
  readonly commands: Readonly<Record<string, ChannelCommand>>
  /** Throws a `CommandFailed` where the rest of the payload is not for this channel. */
  checkJoin?(payload: Omit<JoinPayload, 'token'>): void
  /** The member has left, or its connection is gone. */
  left(member: Member): void
}
