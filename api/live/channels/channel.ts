import type { ChangeListener } from '../../../processors/records/record-listeners.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import type { Channel, JoinPayload, LiveFailure } from '../../../schema/requests/live.ts'
import { anyOf, type ScopeRule } from '../../auth/scopes.ts'
import type { LiveValue, ValueChange } from '../values/latest-values.ts'
import type { Subscriber } from '../outbox/subscriber.ts'

/** Rights of the caller that joined a channel. */
interface MemberCaller {
  readonly scopes: readonly string[]
  /** Ids of its key, or of its user and session, or of its OAuth subject. */
  readonly standsFor: readonly string[]
}

/** A client on a channel, from the view of the channel. */
export interface Member {
  readonly companyId: string
  /** Its rights at present; null: it has not joined. */
  readonly caller: MemberCaller | null
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

/** Scopes of the channels with data of machines. */
export const machineScope = anyOf('machine.read', 'reporting')

/** Declares a channel: all that differs from other channels. */
export interface ChannelDeclaration {
  readonly name: Channel
  /** Scopes of a caller that may join. */
  readonly scope: ScopeRule
  readonly commands: Readonly<Record<string, ChannelCommand>>
  /** Throws a `CommandFailed` if the rest of the payload is invalid for this channel. */
  checkJoin?(payload: Omit<JoinPayload, 'token'>): void
  /** The member has joined: the scope of its token was checked. */
  joined?(member: Member): void
  /** The member has left, or its connection is closed. */
  left(member: Member): void
  /** Whether a member needs every sample of a machine, not only the newest of each metric. */
  needsEverySample?(machineRef: MachineRef): boolean
  /** A sample was published, possibly a future-dated one. */
  samplePublished?(sample: LiveValue): void
  /** The latest value of a metric has changed. */
  valueChanged?(change: ValueChange): void
  /** A status was published or restored. `isChange`: it differs from the previous one. */
  statusPublished?(machineRef: MachineRef, isChange: boolean): void
  /** A record has changed. */
  recordChanged?(change: Parameters<ChangeListener>[0]): void
  /** Called every half second. */
  tick?(): unknown
}
