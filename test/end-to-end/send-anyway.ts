/** An answer that may be missing: a body that is refused early ends the connection while it is still sent. */
export interface Sent {
  /** 0: the connection ended before the answer could be read. */
  readonly status: number
  readonly tookMs: number
}

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

/** Sends a request on a connection of its own, and reads the whole answer where there is one. */
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
