import type { LiveKind, LiveMessage } from '../../schema/topics.ts'

/**
 * The message of a record of live.v1, where it is of that kind. Most are values: others aren't parsed, as every message says its
 * kind first.
 */
export function readLive<Kind extends LiveKind>(value: Buffer, kind: Kind): LiveOf<Kind> | null {
  if (!value.subarray(0, kindWithinBytes).includes(`"${kind}"`)) return null
  const message: LiveOf<Kind> = JSON.parse(value.toString())
  return message.kind === kind ? message : null
}

/** A live message of this kind. */
export type LiveOf<Kind> = Extract<LiveMessage, { readonly kind: Kind }>

const kindWithinBytes = 32
