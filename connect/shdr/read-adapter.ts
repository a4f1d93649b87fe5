import type { Socket } from 'node:net'
import { LineSplitter, maxLineBytes } from '../../ingest/shdr/lines.ts'
import { Problem } from '../../ingest/mapping/convert-value.ts'
import { KeyRules } from '../../ingest/mapping/key-rules.ts'
import type { WireSample } from '../../schema/topics.ts'
import { describeFailure } from '../source/describe-failure.ts'
import { type ReadSource, SourceError, type SourceSession } from '../source/source.ts'
import { AdapterStream } from './adapter-stream.ts'
import { openAdapter } from './open-adapter.ts'
import { sourceDevices } from './source-devices.ts'
import { readAdapterPosition, storeAdapterChanges } from './stored-position.ts'

/** Interval of PING before the adapter has sent its own, and its bounds, ms. */
const pingMs = { first: 10_000, min: 500, max: 300_000 } as const

/** Reads an SHDR adapter: it sends all values at the start of a connection, and each change after that. */
export const readAdapter: ReadSource = async session => {
  const reader = new AdapterReader(session)
  await session.waitForSpace()
  const { connector, signal, lookup } = session
  const socket = await openAdapter({ address: connector.address ?? '', signal, lookup })
  try {
    await reader.read(socket)
  } catch (error) {
    if (error instanceof SourceError) throw error
    if (!session.signal.aborted) throw new SourceError(describeFailure(error), 'disconnected', { cause: error })
  } finally {
    socket.destroy()
    await reader.settle()
  }
}

class AdapterReader {
  readonly #session: SourceSession
  readonly #stream: AdapterStream
  readonly #rules: KeyRules
  readonly #machineIds: readonly string[]
  readonly #warned = new Set<string>()
  #pingMs: number = pingMs.first
  /** Whether the adapter has answered a PING. */
  #hasPong = false
  /** When the next PING is due, and bytes were received, by the monotonic clock, ms. */
  #pingAtMs = 0
  #heardAtMs = 0
  #isDropping = false
  #acknowledged: Promise<void> = Promise.resolve()

  constructor(session: SourceSession) {
    const { connector, position } = session
    const devices = sourceDevices(connector)
    this.#session = session
    this.#stream = new AdapterStream({ ...devices, time: connector.options.time }, readAdapterPosition(position))
    this.#rules = new KeyRules(connector.rules)
    this.#machineIds = [...new Set([...devices.machines.values()].map(({ machineId }) => machineId))]
    if (devices.machines.size === 0)
      throw new SourceError('No device of options.devices has the name of a source of machines', 'invalid')
  }

  /** Resolves when the adapter ends the connection, and rejects if it is silent or its data is not SHDR. */
  async read(socket: Socket): Promise<void> {
    this.#begin()
    const splitter = new LineSplitter()
    const timer = setInterval(() => this.#ping(socket), pingMs.min / 5)
    this.#heardAtMs = performance.now()
    this.#ping(socket)
    try {
      for await (const chunk of socket as AsyncIterable<Buffer>) this.#apply(splitter.push(chunk))
    } finally {
      clearInterval(timer)
    }
  }

  /** Resolves when all samples are acknowledged and the position describes them. */
  async settle(): Promise<void> {
    await this.#acknowledged
  }

  #begin(): void {
    const nowMs = this.#session.clock()
    const { contactUs } = this.#stream
    const isLoss = this.#stream.connect(nowMs * 1000)
    if (isLoss) this.#session.lost({ fromMs: (contactUs ?? 0) / 1000, toMs: nowMs, lost: null })
    this.#deliver()
    this.#session.position.isBehind = false
    this.#session.report('connected')
  }

  #ping(socket: Socket): void {
    const nowMs = performance.now()
    if (this.#hasPong && nowMs - this.#heardAtMs > 2 * this.#pingMs)
      return void socket.destroy(new SourceError(`The adapter sent nothing for ${(2 * this.#pingMs) / 1000} s`))
    if (nowMs < this.#pingAtMs) return
    this.#pingAtMs = nowMs + this.#pingMs
    socket.write('* PING\n')
  }

  #apply(lines: readonly (string | null)[]): void {
    const session = this.#session
    const receivedUs = session.clock() * 1000
    this.#heardAtMs = performance.now()
    this.#isDropping ||= !session.hasSpace()
    if (this.#isDropping) return this.#drop(lines, receivedUs)
    const before = { ...this.#stream.totals }
    this.#stream.contact(receivedUs)
    for (const line of lines) {
      if (line === null) throw new SourceError(`The adapter sent a line of more than ${maxLineBytes} bytes`)
      const { command, faults } = this.#stream.apply(line, receivedUs)
      if (command?.name === 'pong') this.#pong(command.value)
      for (const { code, detail } of faults) this.#fault(code, detail)
    }
    this.#count(before)
    this.#deliver()
    session.heard(this.#machineIds)
  }

  /** The newest samples are dropped: then the adapter sends its values again over another connection. */
  #drop(lines: readonly (string | null)[], receivedUs: number): void {
    const { totals } = this.#session
    for (const line of lines) totals.dropped += this.#stream.drop(line ?? '', receivedUs)
    if (this.#session.hasSpace()) throw new SourceError('The buffer was full: samples of the adapter were dropped')
  }

  #pong(value: string): void {
    this.#hasPong = true
    const sentMs = /^\d{1,9}$/.test(value) ? Number(value) : this.#pingMs
    this.#pingMs = Math.min(pingMs.max, Math.max(pingMs.min, sentMs))
    this.#pingAtMs = Math.min(this.#pingAtMs, performance.now() + this.#pingMs)
  }

  #fault(code: string, detail: string): void {
    const { rejected } = this.#session.totals
    rejected[code] = (rejected[code] ?? 0) + 1
    if (this.#warned.has(code)) return
    this.#warned.add(code)
    this.#session.warn(`The adapter sent data that cannot be read: ${code} ${detail}`.trimEnd())
  }

  #count(before: AdapterStream['totals']): void {
    const { totals } = this.#session
    const { observations, duplicates, backwards, unmapped, ignored } = this.#stream.totals
    totals.observations += observations - before.observations
    totals.duplicates += duplicates - before.duplicates
    totals.backwards += backwards - before.backwards
    totals.unmapped += unmapped - before.unmapped
    const { rejected } = totals
    if (ignored > before.ignored)
      rejected['too_many_items'] = (rejected['too_many_items'] ?? 0) + ignored - before.ignored
  }

  #deliver(): void {
    const { position } = this.#session
    const samples = this.#stream.takeSamples()
    const changes = this.#stream.takeChanges()
    const store = () => {
      storeAdapterChanges(position, changes)
      this.#session.positionChanged()
    }
    // A rejection: the connector stops, and continues from the stored position later.
    const stored = this.#session.deliver(this.#mapped(samples)).then(store, () => undefined)
    // Without the results, which would contain those of all earlier deliveries.
    this.#acknowledged = Promise.all([this.#acknowledged, stored]).then(() => undefined)
  }

  #mapped(samples: readonly WireSample[]): readonly WireSample[] {
    if (this.#session.connector.rules.length === 0) return samples
    return samples.flatMap(sample => {
      const mapped = this.#rules.map({ ...sample })
      if (mapped instanceof Problem) this.#session.totals.unmapped++
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rules replace fields by texts and numbers
      return mapped instanceof Problem ? [] : [mapped as unknown as WireSample]
    })
  }
}
