/**
 * The response to a request, if it could be read: if a body is rejected early, the connection ends while the body is
 * still sent.
 */
export interface Sent {
  /** Status; 0: the connection ended before the response could be read. */
  readonly status: number
  readonly tookMs: number
}

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

/** Sends a request on a new connection, and reads the whole response if there is one. */
export async function sendAnyway(url: string, init: Init): Promise<Sent> {
  const fromMs = performance.now()
  const status = await statusOf(url, init)
  return { status, tookMs: performance.now() - fromMs }
}

async function statusOf(url: string, { headers, ...init }: Init): Promise<number> {
  try {
    const response = await fetch(url, { ...init, headers: { ...headers, connection: 'close' } })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    if (error instanceof TypeError) return 0
    throw error
  }
}
