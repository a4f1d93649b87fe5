import { pause } from '../../shared/async/waiting.ts'
import { AgentClient, type AgentClientOptions, parseResponse, readBytes } from '../mtconnect/agent-client.ts'
import { currentPath, samplePath } from '../mtconnect/agent-paths.ts'
import type { AgentDocument, StreamsDocument } from '../mtconnect/document.ts'
import { unexpected } from '../mtconnect/read-agent.ts'
import type { Sequence } from '../mtconnect/sequence.ts'

/** Observations of a document. */
const count = 2_000

export interface RecordAgentOptions extends AgentClientOptions {
  /** Time between two requests, ms. */
  readonly intervalMs: number
  /** Receives the text of each document with observations, and of the probe. */
  readonly onDocument: (text: string) => Promise<void>
}

/**
 * Requests the documents of an agent, `probe`, `current`, then `sample`, until the signal aborts. After a loss it requests
 * `current` again. Rejects with a `SourceError` or `DocumentError` if the agent cannot be read.
 */
export async function recordAgent({ intervalMs, onDocument, ...options }: RecordAgentOptions): Promise<void> {
  const client = new AgentClient(options)
  const { signal } = options
  const read = async (path: string): Promise<AgentDocument> => {
    const response = await client.get(path)
    const bytes = await readBytes(response)
    const document = await parseResponse(response, bytes)
    if (document.kind === 'devices' || (document.kind === 'streams' && document.observations.length > 0))
      await onDocument(bytes.toString('utf8').trim())
    return document
  }
  const readCurrent = async (): Promise<Sequence> => nextOf(requireStreams(await read(currentPath(null))), 0)
  try {
    const probe = await read('/probe')
    if (probe.kind !== 'devices') throw unexpected(probe)
    let next = await readCurrent()
    while (!signal.aborted) {
      const document = await read(samplePath({ from: next, count, stream: null }, null))
      const isLost = document.kind === 'error' && document.errors.some(({ code }) => code === 'OUT_OF_RANGE')
      const before = next
      next = isLost ? await readCurrent() : nextOf(requireStreams(document), next)
      if (next === before) await pause(intervalMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    client.close()
  }
}

function requireStreams(document: AgentDocument): StreamsDocument {
  if (document.kind !== 'streams') throw unexpected(document)
  return document
}

function nextOf({ header }: StreamsDocument, otherwise: Sequence): Sequence {
  return header.nextSequence ?? otherwise
}
