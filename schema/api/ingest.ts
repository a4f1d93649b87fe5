import type { DeadLetterReason } from '../topics.ts'
import { int, list, object, schema, text } from './json-schema.ts'

/** The answer to `POST /ingest/samples`. `index` counts the body's samples from 0, those of batches each for itself. */
export interface IngestAnswer {
  readonly accepted: number
  readonly rejected: readonly { readonly index: number; readonly code: DeadLetterReason; readonly message: string }[]
}

export const ingestAnswer = schema<IngestAnswer>(
  object({ accepted: int, rejected: list(object({ index: int, code: text, message: text })) }),
)

const sample = {
  type: 'object',
  properties: {
    machineId: text,
    timestamp: text,
    key: text,
    type: text,
    subtype: text,
    value: { type: ['string', 'number'] },
    category: { type: 'string', enum: ['SAMPLE', 'EVENT', 'CONDITION'] },
    nativeCode: text,
    nativeSeverity: text,
    qualifier: text,
    message: text,
    instanceId: int,
    sequence: int,
  },
}

/** Shown in the docs only: the acceptor judges samples one by one. */
export const ingestBody = {
  description: 'A sample, a batch {machineId, samples}, or an array of both; as NDJSON, one of them a line',
  anyOf: [sample, object({ machineId: text, samples: list(sample) }), list({ type: 'object' })],
  examples: [
    {
      machineId: '8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10',
      timestamp: '2026-03-02T08:15:00.000Z',
      key: 'execution',
      type: 'EXECUTION',
      value: 'ACTIVE',
    },
  ],
} as const
