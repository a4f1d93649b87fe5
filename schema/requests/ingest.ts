import { exampleIds } from '../example-ids.ts'
import type { DeadLetterReason } from '../topics.ts'
import * as t from '../types.ts'
import { warnings } from './warning.ts'

/** Why a posted sample was rejected. `unmapped`: the rule of a connector for its key gives no sample. */
export type RejectionCode = DeadLetterReason | 'unmapped'

/**
 * Response of `POST /ingest/samples`. `index` counts the samples of the body from 0, including each sample of a batch.
 */
export const ingestResponse = t.named(
  'IngestAnswer', // The name in published OpenAPI documents.
  t.object(
    {
      accepted: t.int,
      rejected: t.list(
        t.named('RejectedSample', t.object({ index: t.int, code: t.unsafe<RejectionCode>(t.text), message: t.text })),
        {
          maxItems: 100,
          description: 'The first hundred rejected samples',
        },
      ),
      rejectedCount: t.described(t.int, 'Number of rejected samples'),
      /** Codes without rejected samples are omitted. */
      rejectedByCode: t.named(
        'RejectedByCode',
        t.unsafe<{ [Code in RejectionCode]?: number }>({
          type: 'object',
          additionalProperties: t.int,
          description: 'Number of rejected samples by code',
        }),
      ),
      warnings: warnings('If no sample was accepted'),
    },
    ['warnings'],
  ),
)
export type IngestResponse = t.Infer<typeof ingestResponse>

/** A sample in the senders' format. Only its types are used: the decoder validates samples by its own rules. */
export const sample = t.named(
  'Sample',
  t.partial({
    machineId: t.text,
    timestamp: t.text,
    key: t.text,
    type: t.text,
    subtype: t.text,
    value: t.unsafe<string | number>({ type: ['string', 'number'] }),
    category: t.named('SampleCategory', t.oneOf(['SAMPLE', 'EVENT', 'CONDITION'])),
    nativeCode: t.text,
    nativeSeverity: t.text,
    qualifier: t.text,
    message: t.text,
    instanceId: t.int,
    sequence: t.int,
  }),
)

const batch = t.named('SampleBatch', t.object({ machineId: t.text, samples: t.list(sample) }))

const example = {
  machineId: exampleIds.machine,
  timestamp: '2026-03-02T08:15:00.000Z',
  key: 'execution',
  type: 'EXECUTION',
  value: 'ACTIVE',
}

const sampleOrBatch = t.named('SampleOrBatch', t.unsafe<unknown>({ anyOf: [sample, batch] }))

/** A JSON body. Used only in the OpenAPI document: the acceptor validates samples one by one. */
export const ingestBody = t.named(
  'IngestBody',
  t.unsafe<unknown>({ anyOf: [sample, batch, t.list(sampleOrBatch)], examples: [example] }),
  'A sample, a batch {machineId, samples}, or an array of both',
)

/** An NDJSON body, which the OpenAPI document can describe only as a string. */
export const ingestLines = t.named(
  'IngestLines',
  t.unsafe<unknown>({
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
