import { exampleIds } from '../example-ids.ts'
import type { DeadLetterReason } from '../topics.ts'
import { described, int, list, named, object, type Of, oneOf, partial, text, unsafe } from '../types.ts'
import { warnings } from './warning.ts'

/**
 * Response of `POST /ingest/samples`. `index` counts the samples of the body from 0, including each sample of a batch.
 */
export const ingestAnswer = named(
  'IngestAnswer',
  object(
    {
      accepted: int,
      rejected: list(
        named('RejectedSample', object({ index: int, code: unsafe<DeadLetterReason>(text), message: text })),
        {
          maxItems: 100,
          description: 'The first hundred rejected samples',
        },
      ),
      rejectedCount: described(int, 'Number of rejected samples'),
      /** Codes without a sample are left out. */
      rejectedByCode: named(
        'RejectedByCode',
        unsafe<{ [Code in DeadLetterReason]?: number }>({
          type: 'object',
          additionalProperties: int,
          description: 'Number of rejected samples by code',
        }),
      ),
      warnings: warnings('Where no sample was accepted'),
    },
    ['warnings'],
  ),
)
export type IngestAnswer = Of<typeof ingestAnswer>

/** A sample in the format of senders. Only the types are used: the rules are those of the decoder. */
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

/** A body of JSON. Shown in the docs only: the acceptor judges samples one by one. */
export const ingestBody = named(
  'IngestBody',
  unsafe<unknown>({ anyOf: [sample, batch, list(sampleOrBatch)], examples: [example] }),
  'A sample, a batch {machineId, samples}, or an array of both',
)

/** A body of NDJSON, which schemas describe as a text. */
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
  'NDJSON: a sample or a batch a line. Its own types are taken as well: `application/x-ndjson`, `application/jsonl`.',
)
