/** A `sample` request. */
export interface SampleRequest {
  readonly from: number
  readonly count: number
  /** Minimum time between documents of a stream, ms; null: the response is one document. */
  readonly intervalMs: number | null
  readonly heartbeatMs: number
}

/** A request that an agent rejects with an error document. */
export class AgentRequestError extends Error {
  override readonly name = 'AgentRequestError'
  readonly code: 'INVALID_REQUEST' | 'OUT_OF_RANGE' | 'UNSUPPORTED'

  constructor(code: AgentRequestError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const integerPattern = /^\d{1,15}$/

/** Parses the parameters of `sample`. Throws an `AgentRequestError` for a parameter that is out of its range. */
export function parseSampleRequest(
  parameters: URLSearchParams,
  buffer: { readonly first: number; readonly next: number; readonly size: number },
): SampleRequest {
  const count = integerOf(parameters, 'count') ?? 100
  const from = integerOf(parameters, 'from') ?? buffer.first
  if (count < 1 || count > buffer.size) throw outOfRange('count', 1, buffer.size)
  if (from < buffer.first || from > buffer.next) throw outOfRange('from', buffer.first, buffer.next)
  return {
    from,
    count,
    intervalMs: integerOf(parameters, 'interval'),
    heartbeatMs: integerOf(parameters, 'heartbeat') ?? 10_000,
  }
}

/** Returns a function that selects the devices that an XPath names by uuid or name; null: all devices. */
export function deviceFilter(
  path: string | null,
): (device: { readonly name: string; readonly uuid: string }) => boolean {
  if (path === null) return () => true
  const names = new Set([...path.matchAll(/@(?:uuid|name)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, a, b]) => a ?? b))
  return ({ name, uuid }) => names.has(name) || names.has(uuid)
}

function integerOf(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name)
  if (text === null) return null
  if (!integerPattern.test(text)) throw new AgentRequestError('INVALID_REQUEST', `${name} must be a positive integer`)
  return Number(text)
}

function outOfRange(name: string, from: number, to: number): AgentRequestError {
  return new AgentRequestError('OUT_OF_RANGE', `'${name}' must be in range [${from}, ${to}]`)
}
