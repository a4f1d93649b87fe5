import type { Foundation } from '../start/foundation.ts'

/** Something that is asked for on the command line and done where the log is open. Its payload and its answer are JSON. */
export type Task = (foundation: Foundation, payload: unknown) => Promise<unknown>
