/** Silence after which a machine that the application creates is UNAVAILABLE, and one with a connector, ms. */
export const newMachineStaleMs = 300_000
export const connectedStaleMs = 60_000

/** Silence of an unavailable machine after which its tile shows the time of the last sample, ms. */
export const notedSilenceMs = 60_000
