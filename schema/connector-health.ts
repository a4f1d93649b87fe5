/** States of a connector. `rejected`: the source denies access; `invalid`: the settings are wrong. */
export const connectorStates = [
  'connected',
  'connecting',
  'catching_up',
  'disconnected',
  'rejected',
  'disabled',
  'invalid',
  'secret_unavailable',
] as const
export type ConnectorState = (typeof connectorStates)[number]

/** Counters of a connector since its start in a process. */
export interface ConnectorTotals {
  observations: number
  /** Samples that the log has acknowledged, heartbeats included. */
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

/** Samples that the log has not accepted yet. */
export interface ConnectorBuffer {
  readonly samples: number
  readonly bytes: number
  /** Time of receipt of the oldest one; null: the buffer is empty. */
  readonly oldestMs: number | null
}

/** Skew of a clock above which its times are wrong in reports, ms. */
export const maxClockSkewMs = 60_000

/** A fault of the source, and the setting that corrects it. */
export interface ConnectorWarning {
  /** `clock_skew`: times of the source are wrong by more than `maxClockSkewMs`. */
  readonly code: 'clock_skew'
  readonly message: string
  /** Proposed value of `options.timeOffsetMs`. */
  readonly timeOffsetMs: number
}

/** State and health of a connector; times are UTC ms. */
export interface ConnectorHealth {
  readonly state: ConnectorState
  /** Since when the connector has the state. */
  readonly sinceMs: number
  /** Since when the source is not connected, over all attempts; null: it is connected. */
  readonly unavailableSinceMs: number | null
  /** Process that runs the connector. */
  readonly owner: string
  readonly lastHeardMs: number | null
  readonly lastError: { readonly atMs: number; readonly message: string } | null
  /** Mean of the last minute. */
  readonly observationsPerSecond: number
  readonly totals: ConnectorTotals
  /** Bytes of samples that wait for the log. */
  readonly waitingBytes: number
  /** Samples in the buffer on disk; null: the connector has none. */
  readonly buffer: ConnectorBuffer | null
  /** How far the source's clock is ahead of the own clock; null: the source does not report its time. */
  readonly skewMs: number | null
  /** Time of the source minus that of the newest delivered sample; null: nothing was delivered. */
  readonly lagMs: number | null
  /**
   * Time of the newest delivered sample by machine, and how far the times of its live samples are ahead of the source's
   * clock, or of their receipt if the source does not report its time; null: it has sent none.
   */
  readonly lastSamples: readonly (readonly [machineId: string, atMs: number, skewMs: number | null])[]
  readonly warnings: readonly ConnectorWarning[]
  readonly lastGap: { readonly fromMs: number; readonly toMs: number; readonly lost: number | null } | null
}
