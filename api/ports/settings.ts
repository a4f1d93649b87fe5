import { defaultSessionRules, type SessionRules } from '../auth/session-rules.ts'
import type { SignInLimits } from '../auth/sign-in.ts'
import { defaultGraphqlLimits, type GraphqlLimits } from './graphql-limits.ts'
import { defaultJsonBounds, type JsonBounds } from '../../shared/json/bounds.ts'

/** Where uploaded files wait, and how large they may be. */
export interface UploadSettings {
  readonly folder: string
  readonly limitBytes: number
}

/** Settings of the HTTP service. */
export interface ApiSettings extends SignInLimits {
  /**
   * Origins that browsers may call from; `*`: any (keys travel in a header; the cookie of a session counts only where
   * the page is of the same origin).
   */
  readonly corsOrigins: '*' | readonly string[]
  /** Requests of each key and user in a minute; 0: no limit. */
  readonly requestsPerMinute: number
  /** Bounds of a body of JSON, inflated. */
  readonly json: JsonBounds
  /** Bounds of a body of samples, inflated. */
  readonly ingest: JsonBounds
  /** Maximum total bytes of concurrent bodies of authenticated callers, decompressed; at least the size of one body. */
  readonly bodiesBytes: number
  /** Maximum bytes of a body without a key. */
  readonly publicBodyBytes: number
  /** How many parameters a query may have. */
  readonly queryParameters: number
  /** How many headers a request may have. */
  readonly headers: number
  readonly sessionRules: SessionRules
  /** Proxies that are trusted to tell the caller's address, as express takes them: `loopback`, addresses, subnets. */
  readonly trustedProxies: readonly string[]
  /** Maximum number of unknown keys and sessions from one address in a minute. */
  readonly guessesPerAddress: number
  /** Sign-ins at the OpenID Connect provider that one address begins in five minutes. */
  readonly openidStartsPerAddress: number
  /** Bounds of GraphQL. */
  readonly graphql: GraphqlLimits
  readonly uploads: UploadSettings
}

export const defaultApiSettings: Omit<ApiSettings, 'uploads'> = {
  corsOrigins: '*',
  requestsPerMinute: 6000,
  json: defaultJsonBounds,
  ingest: { ...defaultJsonBounds, bytes: 33_554_432, elements: 500_000, values: 8_000_000 },
  bodiesBytes: 134_217_728,
  publicBodyBytes: 16_384,
  queryParameters: 100,
  headers: 100,
  sessionRules: defaultSessionRules,
  trustedProxies: ['loopback'],
  signInsPerAccountAndAddress: 10,
  signInsPerAddress: 50,
  signInsPerAccount: 200,
  signInsPerBrowser: 20,
  guessesPerAddress: 600,
  openidStartsPerAddress: 300,
  graphql: defaultGraphqlLimits,
}
