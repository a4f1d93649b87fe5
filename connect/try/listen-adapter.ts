import { LineSplitter, maxLineBytes } from '../../ingest/shdr/lines.ts'
import { type AdapterAddress, openAdapter } from '../shdr/open-adapter.ts'
import { describeFailure } from '../source/describe-failure.ts'
import { SourceError } from '../source/source.ts'

/** Interval of PING, ms: an adapter may close a connection without it. */
const pingMs = 5_000

export interface AdapterListenOptions extends AdapterAddress {
  /** Called when the connection is open. */
  readonly onConnected?: () => void
  /** If it returns a promise, the next line is read when the promise resolves. */
  readonly onLine: (line: string) => void | Promise<void>
}

/**
 * Passes on the lines of an SHDR adapter until the signal aborts. Rejects with a `SourceError` if the adapter cannot be
 * read, or ends the connection.
 */
export async function listenAdapter({ onConnected, onLine, ...address }: AdapterListenOptions): Promise<void> {
  const socket = await openAdapter(address).catch((error: unknown) => {
    if (address.signal.aborted) return null
    throw error
  })
  if (socket === null) return
  onConnected?.()
  const splitter = new LineSplitter()
  const ping = () => socket.write('* PING\n')
  const timer = setInterval(ping, pingMs)
  ping()
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>)
      for (const line of splitter.push(chunk)) {
        if (line === null) throw new SourceError(`The adapter sent a line of more than ${maxLineBytes} bytes`)
        await onLine(line)
      }
    if (!address.signal.aborted) throw new SourceError('The adapter has ended the connection')
  } catch (error) {
    if (error instanceof SourceError) throw error
    if (!address.signal.aborted) throw new SourceError(describeFailure(error), 'disconnected', { cause: error })
  } finally {
    clearInterval(timer)
    socket.destroy()
  }
}
