import { type IngestResponse, ingestResponse, ingestBody, ingestLines } from '../../schema/requests/ingest.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import { anyOf } from '../auth/scopes.ts'
import { rawBody, route } from '../http/route.ts'

interface AcceptorPort {
  readonly acceptor: SampleAcceptor
}

/** Validates samples; resolves when the accepted ones are durable. */
export interface SampleAcceptor {
  accept(request: {
    /** `CompanyRecord.ref`. */
    readonly companyRef: CompanyRef
    /** Inflated. */
    readonly body: Buffer
    readonly contentType?: string | undefined
  }): Promise<IngestResponse>
}

const postSamples = route('POST /ingest/samples', 'ingestSamples', {
  summary: 'Ingest samples',
  description:
    'A JSON object, a JSON array or NDJSON, of samples or batches; gzip allowed. Accepted samples are durable in the log before the response; it lists each rejected sample with its reason. A rejected sample does not affect the other ones. The response to samples before the previous hour waits for up to 5 s while the current hours are late.',
  scope: anyOf('ingest.activity', 'system.gateway'),
  body: rawBody(ingestBody, { 'application/json': ingestBody, 'application/octet-stream': ingestLines }),
  status: 202,
  output: ingestResponse,
  handle: ({ caller, body, contentType }, { acceptor }: AcceptorPort) =>
    acceptor.accept({ companyRef: caller().company.ref, body, contentType }),
})

export const ingestRoutes = [postSamples]
