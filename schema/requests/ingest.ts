import { exampleIds } from '../example-ids.ts'
import type { DeadLetterReason } from '../topics.ts'
import { described, int, list, named, object, type Infer, oneOf, partial, text, unsafe } from '../types.ts'
import { warnings } from './warning.ts'

/** Why a posted sample was rejected. `unmapped`: the rule of a connector for its key gives no sample. */
export type RejectionCode = DeadLetterReason | 'unmapped'

/**
 * Response of `POST /ingest/samples`. `index` counts the samples of the body from 0, including each sample of a batch.
 */
export const ingestResponse = named(
  'IngestAnswer', // The name in published OpenAPI documents.
  object(
    {
      accepted: int,
      rejected: list(
        named('RejectedSample', object({ index: int, code: unsafe<RejectionCode>(text), message: text })),
        {
          maxItems: 100,
          description: 'The first hundred rejected samples',
        },
      ),
      rejectedCount: described(int, 'Number of rejected samples'),
      /** Codes without rejected samples are omitted. */
      rejectedByCode: named(
        'RejectedByCode',
        unsafe<{ [Code in RejectionCode]?: number }>({
          type: 'object',
          additionalProperties: int,
          description: 'Number of rejected samples by code',
        }),
      ),
      warnings: warnings('If no sample was accepted'),
    },
    ['warnings'],
  ),
)
export type IngestResponse = Infer<typeof ingestResponse>

/** A sample in the senders' format. Only its types are used: the decoder validates samples by its own rules. */
export const sample = named(
  'Sample',
  partial({
    machineId: text,
    timestamp: text,
    key: text,
    type: text,
    subtype: text,
    value: unsafe<string | number>({ type: ['string', 'number'] }),
    category: named('SampleCategory', oneOf(['SAMPLE', 'EVENT', 'CONDITION'])),
    nativeCode: text,
    nativeSeverity: text,
    qualifier: text,
    message: text,
    instanceId: int,
    sequence: int,
  }),
)

const batch = named('SampleBatch', object({ machineId: text, samples: list(sample) }))

const example = {
  machineId: exampleIds.machine,
  timestamp: '2026-03-02T08:15:00.000Z',
  key: 'execution',
  type: 'EXECUTION',
  value: 'ACTIVE',
}

const sampleOrBatch = named('SampleOrBatch', unsafe<unknown>({ anyOf: [sample, batch] }))

/** A JSON body. Used only in the OpenAPI document: the acceptor validates samples one by one. */
export const ingestBody = named(
  'IngestBody',
  unsafe<unknown>({ anyOf: [sample, batch, list(sampleOrBatch)], examples: [example] }),
  'A sample, a batch {machineId, samples}, or an array of both',
)

/** An NDJSON body, which the OpenAPI document can describe only as a string. */
export const ingestLines = named(
  'IngestLines',
  unsafe<unknown>({
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/x-ndjson',
    contentSchema: sampleOrBatch,
    examples: [
      `${JSON.stringify(example)}\n${JSON.stringify({ ...example, timestamp: '2026-03-02T08:20:00.000Z', value: 'READY' })}\n`,
    ],
  }),
  'NDJSON: a sample or a batch per line. Also accepted with the media types `application/x-ndjson`, `application/jsonl`.',
)
