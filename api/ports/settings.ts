import { defaultSessionRules, type SessionRules } from '../auth/session.ts'
import type { SignInLimits } from '../auth/sign-in.ts'
import { defaultGraphqlLimits, type GraphqlLimits } from './graphql-limits.ts'
import { defaultJsonBounds, type JsonBounds } from '../../shared/json/bounds.ts'

/** Folder and maximum size of uploaded files. */
export interface UploadSettings {
  readonly folder: string
  readonly limitBytes: number
}

/** Settings of the HTTP service. */
export interface ApiSettings extends SignInLimits {
  /**
   * Origins from which browsers may call; `*`: any (keys are sent in a header; a session cookie is accepted only from
   * pages of the same origin).
   */
  readonly corsOrigins: '*' | readonly string[]
  /** Requests of each key and user per minute; 0: no limit. */
  readonly requestsPerMinute: number
  /** Limits of a JSON body, inflated. */
  readonly json: JsonBounds
  /** Limits of a body of samples, inflated. */
  readonly ingest: JsonBounds
  /** Maximum total bytes of concurrent bodies of authenticated callers, decompressed; at least the size of one body. */
  readonly bodiesBytes: number
  /** Maximum bytes of a body without a key. */
  readonly publicBodyBytes: number
  readonly queryParameters: number
  /** Maximum number of headers of a request. */
  readonly headers: number
  readonly sessionRules: SessionRules
  /** Proxies whose `X-Forwarded-*` headers are trusted, in the syntax of express: `loopback`, addresses, subnets. */
  readonly trustedProxies: readonly string[]
  /** Maximum number of unknown keys and sessions from one address in a minute. */
  readonly guessesPerAddress: number
  /** Maximum number of OpenID Connect sign-ins that one address starts in five minutes. */
  readonly openidStartsPerAddress: number
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
