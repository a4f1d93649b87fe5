/**
 * Opens many plain WebSockets in one process, which count the received messages and parse some of them: parsing all would
 * be the bottleneck of the benchmark. Started by `run.ts`; each message is a command, each response its result.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchKey, machineCount, machineId, metricsOfMachine } from './plant.ts'

export type ClientsCommand =
  | {
      readonly do: 'connect'
      readonly port: number
      readonly count: number
      readonly atOnce: number
      readonly machines: number
    }
  | { readonly do: 'reset' }
  | { readonly do: 'report' }
  | { readonly do: 'close' }

export interface ClientsReport {
  readonly updates: number
  readonly bytes: number
  readonly seconds: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Delay of this process, in ms; it is a part of the latencies. */
  readonly loopDelayMs: number
  readonly closed: number
}

const sockets: Socket[] = []
let updates = 0
let bytes = 0
let closed = 0
let latencies: number[] = []
let sinceMs = performance.now()
let loopDelayMs = 0
const looksAtOneIn = 97
/** Buffer into which all sockets read, one at a time: the rest of a frame is copied. */
const shared = Buffer.alloc(262_144)
const timestamp = Buffer.from('"timestamp":"')

setInterval(() => {
  const askedMs = performance.now()
  setImmediate(() => (loopDelayMs = Math.max(loopDelayMs, performance.now() - askedMs)))
}, 20).unref()

class Client {
  readonly socket: Socket
  #rest: Buffer | null = null
  #isOpen = false
  #frames = 0
  /** Frames until the snapshot. */
  #wanted: number

  constructor(port: number, index: number, machines: number, snapshot: () => void) {
    const ids = Array.from({ length: machines }, (_, i) => machineId(((index * machines + i) % machineCount) + 1))
    const onread = {
      buffer: shared,
      callback: (length: number) => this.#read(shared.subarray(0, length), ids, snapshot),
    }
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.socket.on('connect', () => this.socket.write(handshake))
    this.socket.on('error', () => closed++)
    this.#wanted = machines * metricsOfMachine + 1
  }

  #read(data: Buffer, ids: readonly string[], snapshot: () => void): boolean {
    if (this.#isOpen) this.#take(data)
    else {
      this.#isOpen = true
      this.socket.write(masked({ event: 'join', data: { token: benchKey } }))
      this.socket.write(masked({ event: 'set_machines', data: ids }))
    }
    if (this.#frames >= this.#wanted) {
      this.#wanted = Infinity
      snapshot()
    }
    return true
  }

  #take(data: Buffer): void {
    let at = 0
    const all = this.#rest ? Buffer.concat([this.#rest, data]) : data
    bytes += data.length
    for (;;) {
      if (all.length < at + 4) break
      const short = (all[at + 1] ?? 0) & 127
      const header = short === 126 ? 4 : short === 127 ? 10 : 2
      if (all.length < at + header) break
      const length =
        short === 126 ? all.readUInt16BE(at + 2) : short === 127 ? Number(all.readBigUInt64BE(at + 2)) : short
      if (all.length < at + header + length) break
      updates++
      this.#frames++
      if (updates % looksAtOneIn === 0) look(all, at + header, length)
      at += header + length
    }
    this.#rest = at < all.length ? Buffer.from(all.subarray(at)) : null
  }
}

function look(all: Buffer, start: number, length: number): void {
  const at = all.subarray(start, start + length).indexOf(timestamp)
  if (at < 0) return
  const text = all.toString('latin1', start + at + timestamp.length, start + at + timestamp.length + 29)
  const ageMs = Date.now() - Date.parse(text.replace(' ', 'T'))
  // Values of the snapshot are dated 1970: they are not changes.
  if (ageMs < 1e9) latencies.push(ageMs)
}

const handshake = [
  'GET /events/machine/diagnostics HTTP/1.1',
  'Host: bench',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
  '\r\n',
].join('\r\n')

/** A text message as a client sends it on the wire; the mask is 0. */
function masked(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  const header = text.length < 126 ? [0x81, 0x80 | text.length] : [0x81, 0xfe, text.length >>> 8, text.length & 255]
  return Buffer.concat([Buffer.from([...header, 0, 0, 0, 0]), text])
}

/** Resolves to the ms until all have their snapshot. */
async function open({ port, count, atOnce, machines }: Extract<ClientsCommand, { do: 'connect' }>): Promise<number> {
  const startedMs = performance.now()
  const ready = { count: 0 }
  for (let index = 0; index < count; index++) {
    sockets.push(new Client(port, index, machines, () => ready.count++).socket)
    while (index - ready.count >= atOnce) await sleep(1)
  }
  while (ready.count < count) {
    if (performance.now() - startedMs > 40_000) return Infinity
    await sleep(2)
  }
  return performance.now() - startedMs
}

function report(): ClientsReport {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const seconds = (performance.now() - sinceMs) / 1000
  return { updates, bytes, seconds, p50: at(0.5), p99: at(0.99), max: at(1), loopDelayMs, closed }
}

function reset(): void {
  updates = bytes = loopDelayMs = 0
  latencies = []
  sinceMs = performance.now()
}

process.on('message', (command: ClientsCommand) => {
  carryOut(command).then(
    result => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})

async function carryOut(command: ClientsCommand): Promise<object> {
  if (command.do === 'connect') return { ms: await open(command) }
  if (command.do === 'report') return report()
  if (command.do === 'reset') reset()
  else for (const socket of sockets.splice(0)) socket.destroy()
  return {}
}
