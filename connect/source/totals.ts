/** Counters of a connector since its start in this process. */
export interface ConnectorTotals {
  observations: number
  /** Samples that the log has acknowledged. */
  samples: number
  /** Observations that were read again. */
  duplicates: number
  /** Losses, and the observations that were lost as far as their number is known. */
  gaps: number
  lost: number
  /** Observations that are missing in the source's data without a loss of the connection. */
  holes: number
  /** Observations whose time is before that of the previous one of their key. */
  backwards: number
  /** Documents that were skipped because they cannot be read. */
  poison: number
  /** Values without a rule. */
  unmapped: number
  /** Samples that were dropped because the buffer was full. */
  dropped: number
  /** Connections after the first one. */
  reconnects: number
  /** Restarts of the source. */
  restarts: number
  /** Invalid samples by reason. */
  readonly rejected: Record<string, number>
}

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
