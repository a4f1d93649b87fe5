/** Longest rest of a partition; a report that is asked for after a silence may lack the samples of so long. */
export const mostRestMs = 10_000
/** Longest rest between inserts of raw samples; reads of the last minute wait for their insert. */
export const mostRawRestMs = 30_000
