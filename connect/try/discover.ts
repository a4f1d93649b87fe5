import type { LookupFunction } from 'node:net'
import { readDevices } from '../../ingest/shdr/devices.ts'
import { defaultConnectorOptions } from '../../schema/records/connector.ts'
import type { DiscoverInput, Discovery } from '../../schema/requests/connector-trial.ts'
import { parseTopicPattern } from '../../schema/topic-pattern.ts'
import { joinSignals } from '../../shared/async/join-signals.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { pause } from '../../shared/async/waiting.ts'
import { XmlError } from '../../shared/xml/scan-xml.ts'
import { AgentClient } from '../mtconnect/agent-client.ts'
import { describeDevice, type DeviceDescription } from '../mtconnect/describe-device.ts'
import { readDocumentInSteps } from '../mtconnect/document.ts'
import { DocumentError } from '../mtconnect/document-error.ts'
import { disjointFilters } from '../mqtt/topic-filters.ts'
import { SourceError } from '../source/source.ts'
import { FoundValues } from './found-values.ts'
import { listenAdapter } from './listen-adapter.ts'
import { listenBroker } from './listen-broker.ts'

/** Limits of a probe document, and of the time in which it must arrive. */
const probeLimits = { bytes: 16_777_216, ms: 30_000, devices: 1_000 } as const
const defaultSeconds = 5
/** Time between two results, ms. */
const resultMs = 500
/** Characters of the results of a source with many values. */
const maxChars = 4_194_304

export interface DiscoverPorts {
  /** Rejects addresses outside the allowed networks. */
  readonly lookup: LookupFunction
  /** Ends the connection. */
  readonly signal: AbortSignal
  /** UTC ms. */
  readonly clock: () => number
}

/** Devices and topics of a source, without the machines of the company. */
export interface Found extends Pick<Discovery, 'values' | 'recording'> {
  readonly devices: readonly DeviceDescription[]
}

/** A source with an address. */
export interface DiscoveredSource extends DiscoverInput {
  readonly address: string
}

/**
 * Yields what a source has: the devices of an agent, or the topics or keys that send values within some seconds.
 * Stores nothing. Throws a `SourceError` if the source cannot be read.
 */
export async function* discoverSource(source: DiscoveredSource, ports: DiscoverPorts): AsyncGenerator<Found> {
  const found = new FoundValues()
  if (source.kind === 'mtconnect') return yield { devices: await discoverAgent(source, ports), ...found.take() }
  let devices = source.kind === 'shdr' && source.devices ? describe(source.devices) : []
  const over = new AbortController()
  const { signal, release } = joinSignals(ports.signal, over.signal)
  const ended = listen(source, { ...ports, signal }, found).then(() => true)
  try {
    let chars = 0
    for (let isOver = false; !isOver && chars < maxChars;) {
      isOver = await Promise.race([ended, pause(resultMs, over.signal).then(() => false)])
      const { values, recording } = found.take()
      if (values.length === 0 && recording.length === 0 && !isOver) continue
      chars += JSON.stringify([values, recording]).length
      yield { devices, values, recording }
      devices = []
    }
  } finally {
    over.abort()
    release()
    await ended.catch(() => undefined)
  }
}

/** Collects the values of a broker or an adapter, for some seconds after the connection is open. */
async function listen(source: DiscoveredSource, ports: DiscoverPorts, found: FoundValues): Promise<void> {
  const { kind, address, user = null, secrets, seconds } = source
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onConnected = () => {
    timer ??= setTimeout(() => over.abort(), (seconds ?? defaultSeconds) * 1_000)
  }
  const { signal, release } = joinSignals(ports.signal, over.signal)
  const connection = { address, lookup: ports.lookup, signal, onConnected }
  try {
    if (kind === 'mqtt')
      await listenBroker({
        ...connection,
        user,
        secrets: secrets ?? {},
        filters: filtersOf(source),
        onMessage: ({ topic, payload }) => {
          found.add(topic, payload.toString('utf8', 0, 1_000))
          found.recordMessage(topic, payload, ports.clock())
        },
      })
    else if (kind === 'shdr')
      await listenAdapter({
        ...connection,
        onLine: line => {
          found.addLine(line)
          found.record(line)
        },
      })
  } finally {
    clearTimeout(timer)
    release()
  }
}

/** Topics as in rules; without any, all. */
function filtersOf({ topics }: DiscoveredSource): readonly string[] {
  const patterns = (topics ?? []).flatMap(topic => parseTopicPattern(topic) ?? [])
  return patterns.length === 0 ? ['#'] : disjointFilters(patterns)
}

async function discoverAgent(source: DiscoveredSource, ports: DiscoverPorts): Promise<readonly DeviceDescription[]> {
  const { address, user = null, secrets } = source
  const options = { ...defaultConnectorOptions, user }
  const { signal, release } = joinSignals(ports.signal, AbortSignal.timeout(probeLimits.ms))
  const client = new AgentClient({ address, options, secrets: secrets ?? {}, lookup: ports.lookup, signal })
  try {
    const { chunks } = await client.get('/probe')
    const document = await runCooperatively(readDocumentInSteps(await readBounded(chunks)))
    if (document.kind !== 'devices') throw new SourceError('The address does not answer /probe with devices')
    return describe(document.text)
  } catch (error) {
    if (error instanceof DocumentError) throw new SourceError(error.message, 'disconnected', { cause: error })
    if (signal.aborted && !ports.signal.aborted)
      throw new SourceError(`The agent did not answer within ${probeLimits.ms / 1_000} s`)
    throw error
  } finally {
    client.close()
    release()
  }
}

async function readBounded(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > probeLimits.bytes) throw new SourceError(`The probe document has more than ${probeLimits.bytes} bytes`)
    read.push(chunk)
  }
  return Buffer.concat(read)
}

function describe(document: string): readonly DeviceDescription[] {
  try {
    return readDevices(document).slice(0, probeLimits.devices).map(describeDevice)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new SourceError(`The devices cannot be read: ${error.message}`, 'invalid', { cause: error })
  }
}
