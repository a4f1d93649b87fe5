/** Maximum flush interval of state samples, ms: after an idle period, a report may lack the samples of this time. */
export const maxFlushIntervalMs = 10_000
/** Maximum flush interval of raw samples, ms; reads of the last minute wait for the insert. */
export const maxRawFlushIntervalMs = 30_000
