import { withSignals } from '../../shared/async/join-signals.ts'

/** Limits of a provider's response, which is read completely. */
const maxBytes = 262_144
const timeoutMs = 10_000

/** The provider is unreachable, too slow, or its response is invalid or too large. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** Fetches from an identity provider within limits of size and time, without following redirects. */
export async function boundedFetch(url: string, options: RequestInit = {}, withinMs = timeoutMs): Promise<Response> {
  try {
    const signals = [options.signal ?? undefined, AbortSignal.timeout(withinMs)]
    return await withSignals(signals, async signal => {
      const response = await fetch(url, { ...options, redirect: 'manual', signal })
      const body = await readAtMost(response)
      if (response.status >= 500) throw new Error(`HTTP ${response.status}`)
      const { status, headers } = response
      return new Response(body.length === 0 ? null : body, { status, headers })
    })
  } catch (error) {
    throw new ProviderUnavailable(`${new URL(url).origin} returned no valid response`, { cause: error })
  }
}

async function readAtMost({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new Error(`The response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
