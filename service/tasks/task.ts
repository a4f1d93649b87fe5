import type { ServiceContext } from '../context.ts'

/** Something that is asked for on the command line and done where the log is open. Its payload and its answer are JSON. */
export type Task = (context: ServiceContext, payload: unknown) => Promise<unknown>
