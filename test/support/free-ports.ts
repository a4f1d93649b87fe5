import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux assigns to outgoing connections and to `listen(0)` (32,768 and above): otherwise another process could get a
 * port before its user listens.
 */
const range = { from: 16_000, to: 32_000 } as const

/** Different unused ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(range.from, range.to)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

/** An unused port. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
