import { readDevices, type Device } from '../../ingest/shdr/devices.ts'
import type { ConnectorMachine } from '../../schema/records/connector.ts'
import { XmlError } from '../../shared/xml/scan-xml.ts'
import { type ReadSource, SourceError, type SourceSession } from '../source/source.ts'
import { AgentClient } from './agent-client.ts'
import { readDocuments } from './agent-documents.ts'
import { currentPath, devicesPath, samplePath } from './agent-paths.ts'
import type { AgentDocument } from './document.ts'
import { DocumentDelivery } from './document-delivery.ts'
import { DocumentError } from './document-error.ts'
import { findDevice, type MachineSource } from './machine-items.ts'
import { MultipartError } from './multipart.ts'
import { SampleStream } from './sample-stream.ts'
import { addToSequence, type Sequence } from './sequence.ts'
import { dropUnassigned, readStreamPosition } from './stored-position.ts'

/** Minimum time between requests of the probe document because of unknown items. */
const probeAgainMs = 10_000
/** Documents at one position that cannot be read, after which its observations are read one by one. */
const maxMalformed = 3
/** Readings without a document of `sample`, after which the connection ends. */
const maxFruitless = 5
/** Observations in a document if the agent does not report its buffer. */
const defaultBufferSize = 2_000

/**
 * Reads an MTConnect agent: `probe`, `current`, then `sample` from the position on. After an overrun or a restart of the
 * agent, and after a document that cannot be read, it begins again over the same clients.
 */
export const readAgent: ReadSource = session => readFrom(session, session.connector.options.start)

/** Limit of the observations of the last minutes. */
const recentObservations = 5_000

/** Reads an agent as `readAgent`, from its latest observations on: those of the last minutes. */
export const readRecentAgent: ReadSource = session => readFrom(session, recentObservations)

async function readFrom(session: SourceSession, start: 'now' | 'buffer' | number): Promise<void> {
  const reader = new AgentReader(session, start)
  try {
    await reader.run()
  } catch (error) {
    if (!session.signal.aborted) throw error
  } finally {
    await reader.close()
  }
}

class AgentReader {
  readonly #session: SourceSession
  readonly #client: AgentClient
  readonly #sources: readonly MachineSource[]
  readonly #stream: SampleStream
  readonly #delivery: DocumentDelivery
  /** XPath of the assigned devices; null: all are read. */
  #filter: string | null = null
  #probedAtMs = 0
  /** Whether the agent has sent items that are unknown. */
  #isProbeDue = false
  #count = 0
  /** Sequence after those that the agent had at the last `current`. */
  #end: Sequence = 0
  #isCaughtUp = false
  /** Readings, and overruns, since the last document of `sample`. */
  #fruitless = 0
  #overruns = 0
  #malformed: { readonly next: Sequence | null; count: number } = { next: null, count: 0 }

  constructor(session: SourceSession, start: 'now' | 'buffer' | number) {
    const { connector, secrets, lookup, signal, position } = session
    const { sourceId, options, machines } = connector
    const { time, timeOffsetMs } = options
    this.#session = session
    this.#client = new AgentClient({ address: connector.address ?? '', options, secrets, lookup, signal })
    this.#sources = machines.flatMap(toSource)
    const stored = readStreamPosition(position)
    if (stored === null && position.isLost)
      session.warn('The stored position cannot be read: the agent is read from the start of its buffer')
    this.#stream = new SampleStream(
      {
        sourceId,
        machines: this.#sources,
        devices: [],
        start: position.isLost ? 'buffer' : start,
        time,
        isBehind: position.isBehind,
        timeOffsetMs,
      },
      stored && dropUnassigned(position, stored, this.#sources),
    )
    this.#delivery = new DocumentDelivery(session, this.#stream)
  }

  async close(): Promise<void> {
    this.#client.close()
    await this.#delivery.settle()
  }

  /** Resolves when the agent ends the stream. */
  async run(): Promise<void> {
    while (await this.#readOnce()) {
      this.#fruitless++
      if (this.#fruitless > maxFruitless)
        throw new SourceError(`The agent rejects requests from sequence ${this.#stream.next}`)
    }
  }

  /** Returns whether to begin again: the situation or a malformed document requires it. */
  async #readOnce(): Promise<boolean> {
    await this.#asSourceError(() => this.#probe())
    await this.#asSourceError(() => this.#readCurrent())
    try {
      return await this.#readSamples()
    } catch (error) {
      if (!(error instanceof DocumentError || error instanceof MultipartError)) throw error
      this.#session.warn(error.message)
      await this.#afterMalformed()
      return true
    }
  }

  /** Without these documents, nothing can be read. */
  async #asSourceError(read: () => Promise<void>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!(error instanceof DocumentError || error instanceof XmlError)) throw error
      throw new SourceError(error.message, 'disconnected', { cause: error })
    }
  }

  async #probe(): Promise<void> {
    const document = await this.#client.document('/probe')
    if (document.kind !== 'devices') throw unexpected(document)
    this.#probedAtMs = this.#session.clock()
    this.#isProbeDue = false
    const devices = readDevices(document.text)
    const selected = this.#sources.map(({ source }) => [source, findDevice(devices, source)] as const)
    const missing = selected.filter(([, device]) => device === undefined).map(([source]) => source)
    if (missing.length > 0) this.#session.warn(`The agent does not have the devices ${missing.join(', ')}`)
    this.#delivery.machineIds = this.#machineIdsOf(devices)
    const found = selected.flatMap(([, device]) => device ?? [])
    this.#filter = devicesPath([...new Set(found)], devices)
    this.#stream.setDevices(devices, this.#filter !== null)
  }

  #machineIdsOf(devices: readonly Device[]): readonly string[] {
    const present = this.#sources.filter(({ source }) => findDevice(devices, source) !== undefined)
    return [...new Set(present.flatMap(({ machineId, paths = {} }) => [[machineId], Object.values(paths)].flat()))]
  }

  async #readCurrent(): Promise<void> {
    const document = await this.#client.document(currentPath(this.#filter))
    if (document.kind !== 'streams') throw unexpected(document)
    const { bufferSize, nextSequence } = document.header
    this.#count = Math.min(this.#session.connector.options.count, bufferSize ?? defaultBufferSize)
    // An agent that is faster than the requests discards its oldest observations before they are read.
    const abandoned = this.#overruns === 0 ? 0 : Math.ceil(((bufferSize ?? 0) * 2 ** this.#overruns) / 128)
    if ((await this.#delivery.apply(document, 'current', abandoned)) === 'overrun') this.#overruns++
    this.#setEnd(nextSequence)
  }

  /** Returns whether to begin again; false: the agent has ended the stream. */
  async #readSamples(): Promise<boolean> {
    const isEnded = await readDocuments({
      client: this.#client,
      path: () => this.#samplePath(),
      isCaughtUp: () => this.#isCaughtUp,
      apply: document => this.#applySample(document),
      signal: this.#session.signal,
    })
    return !isEnded
  }

  #samplePath(): string {
    const { intervalMs, sourceHeartbeatMs: heartbeatMs } = this.#session.connector.options
    const from = this.#stream.next ?? 0
    return samplePath({ from, count: this.#count, stream: { intervalMs, heartbeatMs } }, this.#filter)
  }

  /** Returns whether the position is still in the buffer of the agent. */
  async #applySample(document: AgentDocument): Promise<boolean> {
    if (document.kind === 'error' && document.errors.some(({ code }) => code === 'OUT_OF_RANGE')) return false
    if (document.kind !== 'streams') throw unexpected(document)
    const { creationUs } = document.header
    if (this.#isCaughtUp && creationUs !== null) this.#session.sourceClock(creationUs / 1000)
    this.#isProbeDue ||= this.#stream.hasUnknownItems(document)
    const sinceMs = Math.abs(this.#session.clock() - this.#probedAtMs)
    if (this.#isProbeDue && sinceMs >= probeAgainMs) await this.#asSourceError(() => this.#probe())
    if ((await this.#delivery.apply(document, 'sample')) !== 'continue') return false
    this.#fruitless = 0
    this.#overruns = 0
    const { lastSequence } = document.header
    this.#setEnd(lastSequence === null ? null : addToSequence(lastSequence, 1))
    return true
  }

  /** `end`: the agent has no observation from this sequence on; null: it does not report it. */
  #setEnd(end: Sequence | null): void {
    const next = this.#stream.next ?? 0
    this.#end = end ?? next
    this.#isCaughtUp = next >= this.#end
    if (this.#isCaughtUp) this.#session.position.isBehind = false
    this.#session.report(this.#isCaughtUp ? 'connected' : 'catching_up')
  }

  async #afterMalformed(): Promise<void> {
    const { next } = this.#stream
    const { next: before, count } = this.#malformed
    this.#malformed = { next, count: before === next ? count + 1 : 1 }
    if (this.#malformed.count >= maxMalformed) await this.#readSingly()
  }

  /** Reads observations one by one until those that cannot be read are skipped. */
  async #readSingly(): Promise<void> {
    let isSkipping = false
    for (let i = 0; i < this.#count && (this.#stream.next ?? 0) < this.#end; i++) {
      const document = await this.#readOne()
      if (document !== null) {
        if (!(await this.#applySample(document)) || isSkipping) return
      } else {
        if (!isSkipping) this.#session.totals.poison++
        isSkipping = true
        await this.#delivery.skip()
      }
    }
  }

  /** null: the document cannot be read. */
  async #readOne(): Promise<AgentDocument | null> {
    try {
      return await this.#client.document(
        samplePath({ from: this.#stream.next ?? 0, count: 1, stream: null }, this.#filter),
      )
    } catch (error) {
      if (error instanceof DocumentError) return null
      throw error
    }
  }
}

/** The machines of a source that is not a device are those of other kinds of connectors. */
export function toSource({
  source,
  machineId,
  paths,
  expand,
  timeOffsetMs,
}: ConnectorMachine): readonly MachineSource[] {
  return source === null || typeof machineId !== 'string' ? [] : [{ source, machineId, paths, expand, timeOffsetMs }]
}

/** The error of another document than that which was requested. */
export function unexpected(document: AgentDocument): SourceError {
  if (document.kind !== 'error')
    return new SourceError(`The agent sent another document than requested: ${document.kind}`)
  const [error = { code: 'no error', message: '' }] = document.errors
  return new SourceError(`The agent reports ${error.code}: ${error.message}`)
}
