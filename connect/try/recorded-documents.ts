import { readDevices } from '../../ingest/shdr/devices.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type { WireSample } from '../../schema/topics.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { runCooperatively } from '../../shared/async/steps.ts'
import { XmlError } from '../../shared/xml/scan-xml.ts'
import { type AgentDocument, readDocumentInSteps, type StreamsDocument } from '../mtconnect/document.ts'
import { DocumentError } from '../mtconnect/document-error.ts'
import { findDevice } from '../mtconnect/machine-items.ts'
import { toSource } from '../mtconnect/read-agent.ts'
import { SampleStream } from '../mtconnect/sample-stream.ts'

/** Counts what gave no sample; `example` is called for the first one only. */
type Skip = (reason: string, example: () => string, count?: number) => void

/**
 * Yields the samples of the documents of an agent, one after the other: the probe, then those of values. The first document
 * of values is that of the connection, whatever `options.start` is. `nowUs`: time of receipt, UTC µs.
 */
export async function* samplesOfDocuments(
  recording: string,
  { sourceId, machines, options: { time, timeOffsetMs } }: ConnectorRecord,
  { nowUs, skip }: { readonly nowUs: number; readonly skip: Skip },
): AsyncGenerator<WireSample> {
  const sources = machines.flatMap(toSource)
  const settings = { sourceId, machines: sources, devices: [], isFiltered: true, time, timeOffsetMs }
  const stream = new SampleStream(settings, null)
  const slice = new TimeSlice()
  for (const text of documentsIn(recording)) {
    const { invalid } = stream.totals
    const document = await parse(text, skip)
    if (document?.kind === 'devices') setDevices(stream, document.text, sources, skip)
    else if (document?.kind === 'error')
      for (const { code, message } of document.errors) skip(`The agent reports ${code}: ${message}`, () => text)
    else if (document) yield* apply(stream, document, nowUs)
    const count = stream.totals.invalid - invalid
    if (count > 0) skip('the observation has no readable time', () => text, count)
    if (slice.isOver) await slice.next()
  }
}

/** A document ends with the end of its root element. */
function* documentsIn(recording: string): Generator<string> {
  let from = 0
  for (const end of recording.matchAll(/<\/(?:[\w.-]+:)?MTConnect(?:Devices|Streams|Error)\s*>/g)) {
    const to = end.index + end[0].length
    yield recording.slice(from, to).trim()
    from = to
  }
  const rest = recording.slice(from).trim()
  if (rest !== '') yield rest
}

async function parse(text: string, skip: Skip): Promise<AgentDocument | null> {
  try {
    return await runCooperatively(readDocumentInSteps(Buffer.from(text)))
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    skip(error.message, () => text)
    return null
  }
}

function setDevices(stream: SampleStream, text: string, sources: ReturnType<typeof toSource>, skip: Skip): void {
  try {
    const devices = readDevices(text)
    stream.setDevices(devices)
    const missing = sources.filter(({ source }) => findDevice(devices, source) === undefined)
    for (const { source } of missing) skip('the agent does not have the device', () => source)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    skip(error.message, () => text)
  }
}

/** The first document, and one that does not follow the previous one, contains the present values. */
function* apply(stream: SampleStream, document: StreamsDocument, nowUs: number): Generator<WireSample> {
  const { situation, samples } = stream.apply(document, 'sample', 0, nowUs)
  yield* samples
  if (situation === 'continue') return
  yield* stream.apply(document, 'current', 0, nowUs).samples
  yield* stream.apply(document, 'sample', 0, nowUs).samples
}
