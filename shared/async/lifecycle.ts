/** A part of the service that runs until it is stopped. */
export interface Lifecycle {
  /** Runs until stopped, then resolves; rejects if it cannot continue. Called once. */
  run(): Promise<void>
  /** Stops the part. Work in progress is completed, or repeated after the next start, as after a crash. */
  stop(): Promise<void>
}

/** A part of the service that can complete its work before it is stopped. */
export interface Drainable extends Lifecycle {
  /** Resolves when the work in progress is complete, at the latest after `withinMs`; the part continues to run. */
  drain(withinMs: number): Promise<void>
}
