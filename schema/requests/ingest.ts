import type { DeadLetterReason } from '../topics.ts'
import { described, int, list, object, type Of, oneOf, partial, text, unsafe } from '../types.ts'

/** The answer to `POST /ingest/samples`. `index` counts the body's samples from 0, those of batches each for itself. */
export const ingestAnswer = object(
  {
    accepted: int,
    rejected: list(object({ index: int, code: unsafe<DeadLetterReason>(text), message: text }), {
      maxItems: 100,
      description: 'The first hundred that were not taken',
    }),
    rejectedCount: described(int, 'All that were not taken'),
    /** Codes without a sample are left out. */
    rejectedByCode: unsafe<{ [Code in DeadLetterReason]?: number }>({
      type: 'object',
      additionalProperties: int,
      description: 'All that were not taken, by code',
    }),
    warnings: list(object({ field: text, message: text }), { description: 'Where no sample was accepted' }),
  },
  ['warnings'],
)
export type IngestAnswer = Of<typeof ingestAnswer>

const sample = partial({
  machineId: text,
  timestamp: text,
  key: text,
  type: text,
  subtype: text,
  value: unsafe<string | number>({ type: ['string', 'number'] }),
  category: oneOf(['SAMPLE', 'EVENT', 'CONDITION']),
  nativeCode: text,
  nativeSeverity: text,
  qualifier: text,
  message: text,
  instanceId: int,
  sequence: int,
})

/** Shown in the docs only: the acceptor judges samples one by one. */
export const ingestBody = unsafe<unknown>({
  description: 'A sample, a batch {machineId, samples}, or an array of both; as NDJSON, one of them a line',
  anyOf: [sample, object({ machineId: text, samples: list(sample) }), list(unsafe<object>({ type: 'object' }))],
  examples: [
    {
      machineId: '8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10',
      timestamp: '2026-03-02T08:15:00.000Z',
      key: 'execution',
      type: 'EXECUTION',
      value: 'ACTIVE',
    },
  ],
})
