import { list, number, object, schema, text } from './json-schema.ts'

/** How the service is. `lag` 0 means that every accepted sample is in the reports. */
export interface Health {
  /** `unavailable` is answered with 503. */
  readonly status: 'ok' | 'degraded' | 'unavailable'
  readonly version: string
  readonly roles: readonly string[]
  /** What serves the live channels; null: no channels in this process. */
  readonly live: 'uws' | 'ws' | null
  /** Where clients may also reach the channels directly; null: at this address alone. */
  readonly livePort: number | null
  readonly clickhouse: string
  readonly log: string
  readonly lag: { readonly records: number; readonly seconds: number }
}

export const health = schema<Health>(
  object({
    status: { type: 'string', enum: ['ok', 'degraded', 'unavailable'] },
    version: text,
    roles: list(text),
    live: { enum: ['uws', 'ws', null] },
    livePort: { type: ['integer', 'null'] },
    clickhouse: text,
    log: text,
    lag: object({ records: number, seconds: number }),
  }),
)
