/** Failures of a connection by the code of Node. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections at this address',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ETIMEDOUT: 'no response within the time limit',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved',
}

/** Returns why a connection failed, in words, with the message of the error. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.message || error.name
  const known = 'code' in error && typeof error.code === 'string' ? words[error.code] : undefined
  return known === undefined ? text : `${known} (${text})`
}
