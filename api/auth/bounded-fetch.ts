import { withSignals } from '../../shared/async/join-signals.ts'

/** Bounds of an answer of another service, which is read whole. */
const maxBytes = 262_144
const timeoutMs = 10_000

/** The other service does not answer as it should: it is away, late, ill, or says too much. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** Fetches from a provider of identities: an answer has a bounded size and time, and no redirect is followed. */
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
    throw new ProviderUnavailable(`${new URL(url).origin} does not answer as expected`, { cause: error })
  }
}

async function readAtMost({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    // Leaving the loop ends the connection.
    if (bytes > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
