import type { Channel, JoinPayload, LiveFailure } from '../../schema/requests/live.ts'
import type { Subscriber } from './subscriber.ts'

/** A client on a channel, from the view of the channel. */
export interface Member {
  readonly companyId: string
  readonly isJoined: boolean
  readonly subscriber: Subscriber
  send(event: string, data: unknown): void
  fail(failure: LiveFailure): void
}

/**
 * Executes a command of a member; returns the content of the acknowledgement. Throws a `CommandFailed` for an error of
 * the client.
 */
export type Action = (member: Member) => unknown

/**
 * Parses a command's payload on arrival. The returned action waits for the previous commands and keeps only the parts
 * of the payload that it needs. Throws a `CommandFailed` if the payload is invalid.
 */
export type ChannelCommand = (data: unknown) => Action

/** The parts of a channel that differ from other channels. */
export interface ChannelCore {
  readonly name: Channel
  readonly commands: Readonly<Record<string, ChannelCommand>>
  /** Throws a `CommandFailed` if the rest of the payload is invalid for this channel. */
  checkJoin?(payload: Omit<JoinPayload, 'token'>): void
  /** The member has left, or its connection is closed. */
  left(member: Member): void
}
