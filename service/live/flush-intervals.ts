/** Longest flush interval of state samples: after an idle period, a report may lack the samples of this time. */
export const maxFlushIntervalMs = 10_000
/** Longest flush interval of raw samples; reads of the last minute wait for the insert. */
export const maxRawFlushIntervalMs = 30_000
