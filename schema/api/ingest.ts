import type { DeadLetterReason } from '../topics.ts'
import { int, list, object, schema, text } from './json-schema.ts'

/** The answer to `POST /ingest/samples`. */
export interface IngestAnswer {
  readonly accepted: number
  /** The first hundred that were not taken. `index` counts the body's samples from 0, those of batches each for itself. */
  readonly rejected: readonly { readonly index: number; readonly code: DeadLetterReason; readonly message: string }[]
  /** All that were not taken. */
  readonly rejectedCount: number
  /** The same by code; codes without a sample are left out. */
  readonly rejectedByCode: { readonly [Code in DeadLetterReason]?: number }
}

export const ingestAnswer = schema<IngestAnswer>(
  object({
    accepted: int,
    rejected: list(object({ index: int, code: text, message: text }), {
      maxItems: 100,
      description: 'The first hundred that were not taken',
    }),
    rejectedCount: { ...int, description: 'All that were not taken' },
    rejectedByCode: {
      type: 'object',
      additionalProperties: int,
      description: 'All that were not taken, by code',
    },
  }),
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
