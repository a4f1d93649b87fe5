/** An answer other than 2xx; its message is fit to show. */
export class RequestFailed extends Error {
  name = 'RequestFailed'

  constructor(status, message, retryAfterS) {
    super(message)
    this.status = status
    this.retryAfterS = retryAfterS
  }
}

const timeoutMs = 20_000

/** Calls the service that this page came from. `onLag` is told by how many ms a report is behind. */
export function createClient(key, onLag = () => {}) {
  const send = async (method, path, body) => {
    const response = await fetch(path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = await response.json()
    if (!response.ok) throw failure(response, answer)
    if (response.headers.has('takt-lag-ms')) onLag(Number(response.headers.get('takt-lag-ms')))
    return answer
  }
  return { get: path => send('GET', path), post: (path, body) => send('POST', path, body) }
}

function failure(response, answer) {
  const message = answer.error_description ?? answer.message ?? `The service answered ${response.status}`
  return new RequestFailed(response.status, message, Number(response.headers.get('retry-after') ?? 0))
}
