import { once } from 'node:events'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { withSignals } from '../../shared/async/join-signals.ts'
import { describeFailure } from '../source/describe-failure.ts'
import { SourceError } from '../source/source.ts'

const defaultPort = 7878
const connectWithinMs = 10_000
/** Silence after which TCP checks the connection, ms. */
const keepAliveMs = 60_000

export interface AdapterAddress {
  /** `tcp://host:port` */
  readonly address: string
  /** Closes the connection. */
  readonly signal: AbortSignal
  readonly lookup: LookupFunction
}

/** Opens a connection to an SHDR adapter; rejects with a `SourceError`. */
export async function openAdapter({ address, signal, lookup }: AdapterAddress): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: port === '' ? defaultPort : Number(port), lookup })
  const abort = (): void => void socket.destroy()
  signal.addEventListener('abort', abort, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', abort))
  try {
    await withSignals([signal, AbortSignal.timeout(connectWithinMs)], joined =>
      once(socket, 'connect', { signal: joined }),
    )
  } catch (error) {
    socket.destroy()
    if (error instanceof SourceError) throw error
    const isLate = error instanceof Error && error.name === 'AbortError'
    const text = isLate ? `No connection within ${connectWithinMs / 1000} s` : describeFailure(error)
    throw new SourceError(text, 'disconnected', { cause: error })
  }
  socket.setKeepAlive(true, keepAliveMs)
  socket.setNoDelay(true)
  return socket
}
