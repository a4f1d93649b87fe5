import type { StateSettings } from '../../schema/records/machine.ts'

/** Returns whether the machine becomes UNAVAILABLE after a time without samples. */
export function mayGoStale({ staleAfterMs }: Pick<StateSettings, 'staleAfterMs'>): boolean {
  return staleAfterMs !== null
}

/** Returns when the machine becomes stale without further samples, UTC ms; Infinity if never. */
export function staleFrom({ staleAfterMs }: Pick<StateSettings, 'staleAfterMs'>, lastSeenMs: number | null): number {
  return staleAfterMs === null || lastSeenMs === null ? Infinity : lastSeenMs + staleAfterMs
}
