import { isCompact } from '../../ingest/decode/compact-writer.ts'
import type { LiveKind, LiveMessage } from '../../schema/topics.ts'

/**
 * Parses a record of live.v1 if it is of this kind; returns null for another kind, without parsing, because every
 * message starts with its kind. Records of values are not JSON; `ValuesReader` reads them.
 */
export function parseLiveMessage<Kind extends LiveKind>(value: Buffer, kind: Kind): LiveOf<Kind> | null {
  if (isCompact(value) || !value.subarray(0, kindWithinBytes).includes(`"${kind}"`)) return null
  const message: LiveOf<Kind> = JSON.parse(value.toString())
  return message.kind === kind ? message : null
}

/** Whether a record starts as every message does, with its kind, which may be a kind of a later version. */
export function startsWithKind(value: Buffer): boolean {
  return value.subarray(0, firstMember.length).equals(firstMember)
}

const firstMember = Buffer.from('{"kind":"')

/** A live message of this kind. */
export type LiveOf<Kind> = Extract<LiveMessage, { readonly kind: Kind }>

const kindWithinBytes = 32
