import { pause } from '../../shared/async/waiting.ts'
import { type AgentClient, type AgentResponse, maxDocumentMs, readResponse, slowDocument } from './agent-client.ts'
import { type AgentDocument, readDocument } from './document.ts'
import { MultipartReader } from './multipart.ts'

/** Time between requests to an agent that does not stream. */
const pollMs = 1_000

export interface DocumentsOptions {
  readonly client: AgentClient
  /** Returns the path of the next request. */
  readonly path: () => string
  /** Whether the agent had no more observations than those of the last document. */
  readonly isCaughtUp: () => boolean
  readonly signal: AbortSignal
}

/**
 * Yields the documents of `sample` requests until the agent ends the stream; an agent that does not stream is polled.
 * Throws a `DocumentError` or `MultipartError` if a document cannot be read, and a `SourceError` if the agent cannot.
 */
export async function* readDocuments(options: DocumentsOptions): AsyncGenerator<AgentDocument> {
  const { client, path, isCaughtUp, signal } = options
  for (;;) {
    const response = await client.get(path())
    if (/^\s*multipart\//i.test(response.contentType)) return yield* readParts(response)
    yield await readResponse(response)
    if (isCaughtUp()) await pause(pollMs, signal)
  }
}

async function* readParts({ contentType, chunks }: AgentResponse): AsyncGenerator<AgentDocument> {
  const reader = new MultipartReader(contentType)
  let startedMs = performance.now()
  for await (const chunk of chunks) {
    for (const body of reader.push(chunk)) {
      yield readDocument(body)
      startedMs = performance.now()
    }
    if (performance.now() - startedMs > maxDocumentMs) throw slowDocument()
    if (reader.isEnded) return
  }
}
