/** A part of the service that works until it is stopped. */
export interface Lifecycle {
  /** Runs until stopped and then resolves; rejects if it cannot continue. Called once. */
  run(): Promise<void>
  /** Ends the work. Work in flight is finished, or done again after the next start, as after a crash. */
  stop(): Promise<void>
}

/** A long-lived part that can finish what it has begun before it is stopped. */
export interface Drainable extends Lifecycle {
  /** Resolves once the work in flight is done, and no later than after `withinMs`; the part still runs. */
  drain(withinMs: number): Promise<void>
}
