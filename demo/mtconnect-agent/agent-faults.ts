/** Faults of an agent, which a test or the demo switches on. */
export interface AgentFaults {
  /** Closes each new connection. */
  isRefusing: boolean
  /** Accepts requests and sends nothing. */
  isHanging: boolean
  /** Sends every document of a stream twice. */
  repeatsDocuments: boolean
  /** Number of the next documents of a stream that end in the middle, with their connection. */
  halfDocuments: number
  /** Sequences of observations whose documents are not well-formed. */
  readonly malformedSequences: Set<number>
  /** Added to the time in headers. */
  clockOffsetMs: number
}

/** Creates the faults of an agent without faults. */
export function noFaults(): AgentFaults {
  return {
    isRefusing: false,
    isHanging: false,
    repeatsDocuments: false,
    halfDocuments: 0,
    malformedSequences: new Set(),
    clockOffsetMs: 0,
  }
}
