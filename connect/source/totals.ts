import type { ConnectorTotals } from '../../schema/connector-health.ts'

export type { ConnectorTotals }

/** Creates counters that are zero. */
export function newTotals(): ConnectorTotals {
  return {
    observations: 0,
    samples: 0,
    duplicates: 0,
    gaps: 0,
    lost: 0,
    holes: 0,
    backwards: 0,
    poison: 0,
    unmapped: 0,
    dropped: 0,
    reconnects: 0,
    restarts: 0,
    rejected: {},
  }
}
