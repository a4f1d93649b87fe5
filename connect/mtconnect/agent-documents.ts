import { runCooperatively } from '../../shared/async/steps.ts'
import { pause } from '../../shared/async/waiting.ts'
import { type AgentClient, type AgentResponse, maxDocumentMs, readResponse, slowDocument } from './agent-client.ts'
import { type AgentDocument, readDocumentInSteps } from './document.ts'
import { MultipartReader } from './multipart.ts'

/** Time between requests to an agent that does not stream. */
const pollMs = 1_000

export interface DocumentsOptions {
  readonly client: AgentClient
  /** Returns the path of the next request. */
  readonly path: () => string
  /** Whether the agent had no more observations than those of the last document. */
  readonly isCaughtUp: () => boolean
  /** Applies a document; returns whether to read the next one. */
  readonly apply: (document: AgentDocument) => Promise<boolean>
  readonly signal: AbortSignal
}

/**
 * Reads the documents of `sample` requests; an agent that does not stream is polled. Returns whether the agent has ended
 * the stream. Throws a `DocumentError` or `MultipartError` if a document cannot be read, and a `SourceError` if the agent
 * cannot. The functions that wait for the agent hold no document: a process reads hundreds of agents.
 */
export async function readDocuments(options: DocumentsOptions): Promise<boolean> {
  const { client, path, isCaughtUp, apply, signal } = options
  for (;;) {
    const response = await client.get(path())
    if (/^\s*multipart\//i.test(response.contentType)) return readParts(response, apply)
    if (!(await readWhole(response, apply))) return false
    if (isCaughtUp()) await pause(pollMs, signal)
  }
}

async function readWhole(response: AgentResponse, apply: DocumentsOptions['apply']): Promise<boolean> {
  return apply(await readResponse(response))
}

async function readParts({ contentType, chunks }: AgentResponse, apply: DocumentsOptions['apply']): Promise<boolean> {
  const reader = new MultipartReader(contentType)
  let startedMs = performance.now()
  for await (const chunk of chunks) {
    const count = await applyParts(reader.push(chunk), apply)
    if (count === null) return false
    if (count > 0) startedMs = performance.now()
    if (performance.now() - startedMs > maxDocumentMs) throw slowDocument()
    if (reader.isEnded) break
  }
  return true
}

/** Returns the number of parts; null: the next one is not to be read. */
async function applyParts(parts: Iterable<Buffer>, apply: DocumentsOptions['apply']): Promise<number | null> {
  let count = 0
  for (const body of parts) {
    count++
    if (!(await apply(await runCooperatively(readDocumentInSteps(body))))) return null
  }
  return count
}
