import type { StateSettings } from '../../schema/records/machine.ts'

/** A silence makes this machine UNAVAILABLE: it matters when it was last seen. */
export function mayGoStale({ staleAfterMs }: Pick<StateSettings, 'staleAfterMs'>): boolean {
  return staleAfterMs !== null
}

/** The instant (UTC ms) at which the machine goes stale unless it is seen before; Infinity: never. */
export function staleFrom({ staleAfterMs }: Pick<StateSettings, 'staleAfterMs'>, lastSeenMs: number | null): number {
  return staleAfterMs === null || lastSeenMs === null ? Infinity : lastSeenMs + staleAfterMs
}
