import { join } from 'node:path'
import { type ApiSettings, defaultApiSettings } from '../../api/ports/settings.ts'
import { dayMs, minuteMs } from '../../shared/time/units.ts'
import { inputLimitsOf } from '../bounds.ts'
import type { Config } from '../config.ts'

/** Returns the settings of the routes that the settings of the process determine. */
export function apiSettings(config: Config): ApiSettings {
  const bounds = inputLimitsOf(config)
  return {
    ...defaultApiSettings,
    corsOrigins: config.TAKT_CORS_ORIGINS.includes('*') ? '*' : config.TAKT_CORS_ORIGINS,
    requestsPerMinute: config.TAKT_RATE_LIMIT,
    json: bounds.json,
    ingest: bounds.ingest,
    bodiesBytes: config.TAKT_BODIES_LIMIT,
    publicBodyBytes: config.TAKT_PUBLIC_BODY_LIMIT,
    queryParameters: config.TAKT_QUERY_MAX_PARAMETERS,
    headers: config.TAKT_MAX_HEADERS,
    sessionRules: { lifetimeMs: config.TAKT_SESSION_DAYS * dayMs, idleMs: config.TAKT_SESSION_IDLE_MINUTES * minuteMs },
    trustedProxies: config.TAKT_TRUSTED_PROXIES,
    graphql: {
      requestsPerMinute: config.TAKT_GRAPHQL_RATE_LIMIT,
      withinMs: config.TAKT_GRAPHQL_MAX_SECONDS * 1000,
      depth: config.TAKT_GRAPHQL_MAX_DEPTH,
      lists: config.TAKT_GRAPHQL_MAX_LISTS,
      fields: config.TAKT_GRAPHQL_MAX_FIELDS,
      rows: config.TAKT_GRAPHQL_MAX_ROWS,
      responseBytes: config.TAKT_GRAPHQL_MAX_CHARS,
      answersBytes: config.TAKT_GRAPHQL_ANSWERS_BYTES,
      concurrency: config.TAKT_REPORT_CONCURRENCY,
      memoryBytes: config.TAKT_QUERY_MAX_MEMORY,
    },
    uploads: { folder: join(config.TAKT_DATA_DIR, 'tmp'), limitBytes: config.TAKT_IMPORT_LIMIT },
  }
}
