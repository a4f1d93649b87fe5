import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Access } from './auth/access.ts'
import type { KeyUses } from './auth/key-uses.ts'
import type { OAuthCheck } from './auth/oauth.ts'
import type { Throttle } from './auth/throttle.ts'
import type { SignIn, SignInLimits } from './auth/sign-in.ts'
import { defaultSessionRules, type SessionRules } from './auth/session-rules.ts'
import type { Store } from '../clickhouse/client/store.ts'
import { defaultGraphqlLimits, type GraphqlLimits } from './graphql/settings.ts'
import type { Files } from './files/files.ts'
import type { UploadSettings } from './http/upload.ts'
import type { ImportGate } from './import/gate.ts'
import type { Records } from '../processors/records/records.ts'
import type { CommandClient } from '../processors/registrar/client.ts'
import type { AlarmInstancesAnswer } from '../schema/requests/alarm-instances.ts'
import type { AuditedKind, AuditPage, AuditQuery } from '../schema/requests/audit.ts'
import type { Health, Readiness } from '../schema/requests/health.ts'
import type { IngestAnswer } from '../schema/requests/ingest.ts'
import type { JobRunParts } from '../schema/requests/job-dispatch.ts'
import type { MachineFaultAnswer } from '../schema/records/machine.ts'
import type { LiveStatus, RebuildProgress } from '../schema/topics.ts'
import { defaultJsonBounds, type JsonBounds } from '../shared/json/bounds.ts'
import type { CompanyRef, MachineRef } from '../schema/refs.ts'

/** Parts of the process that the HTTP service needs; all of them are passed in. */
export interface ApiDeps {
  /** Followed from records.v1. */
  readonly records: Records
  /**
   * Resolves when the records hold all that is in the log now: another process may have written something a moment ago.
   */
  readonly catchUpRecords: () => Promise<void>
  readonly commands: Pick<CommandClient, 'submit'>
  readonly access: Access
  /** Checks the OAuth provider's access tokens; null: none is configured. */
  readonly oauth: OAuthCheck | null
  /** Counts keys and sessions that do not exist, by address: `guessesPerAddress`. */
  readonly guesses: Throttle
  readonly keyUses: KeyUses
  readonly signIn: SignIn
  readonly audit: AuditReader
  readonly acceptor: SampleAcceptor
  readonly statuses: StatusSource
  /** Faults of a machine's samples, by its ref. */
  readonly faults: { get(machineRef: MachineRef): readonly MachineFaultAnswer[] }
  readonly production: ReportRunner
  readonly downtime: ReportRunner
  readonly quality: ReportRunner
  readonly alarm: ReportRunner
  readonly alarmInstances: ReportRunner<AlarmInstancesAnswer>
  /** Parts that were made in a run's own time, up to now; rejects as reports do. */
  readonly jobRunParts: (request: RunTime & { readonly signal: AbortSignal }) => Promise<JobRunParts>
  /** Store that GraphQL queries read. */
  readonly store: Store
  /** Kept files of reports. */
  readonly files: Pick<Files, 'find'>
  /** Bounds imports, and does them one after the other. */
  readonly imports: ImportGate
  /** Work that the processors do again: machine-hours, and rebuilds by partition; ms are UTC. */
  readonly recomputing: () => {
    readonly dirtyHours: number
    readonly sinceMs: number | null
    readonly rebuilds: ReadonlyMap<number, readonly RebuildProgress[]>
  }
  /** Never cached: lag 0 must hold for everything accepted before the call. */
  readonly health: () => Promise<Health>
  /** Whether this process can serve. */
  readonly readiness: () => Promise<Readiness>
  /** Metrics that `GET /metrics` shows; the service adds its own. */
  readonly metrics: Registry
  /** UTC ms. */
  readonly clock: () => number
  readonly logger: Logger
  readonly settings: ApiSettings
}

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
  /** Most bytes of all bodies at a time that callers with a key send, inflated; never less than one body may have. */
  readonly bodiesBytes: number
  /** Most bytes of a body that comes without a key. */
  readonly publicBodyBytes: number
  /** How many parameters a query may have. */
  readonly queryParameters: number
  /** How many headers a request may have. */
  readonly headers: number
  readonly sessionRules: SessionRules
  /** Proxies that are trusted to tell the caller's address, as express takes them: `loopback`, addresses, subnets. */
  readonly trustedProxies: readonly string[]
  /** Most keys and sessions that do not exist, from one address in a minute. */
  readonly guessesPerAddress: number
  /** Bounds of GraphQL. */
  readonly graphql: GraphqlLimits
  /** Where uploaded files wait, and how large they may be. */
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
  signInsPerAccount: 10,
  signInsPerAddress: 50,
  guessesPerAddress: 600,
  graphql: defaultGraphqlLimits,
}

/** Pages of the company's changes of records, newest first. */
export type AuditReader = (
  companyId: string,
  query: AuditQuery,
  options: { readonly hidden: readonly AuditedKind[] },
) => Promise<AuditPage>

/** Judges samples and makes the good ones durable before it resolves. */
export interface SampleAcceptor {
  accept(request: {
    /** `CompanyRecord.ref`. */
    readonly companyRef: CompanyRef
    /** Inflated. */
    readonly body: Buffer
    readonly contentType?: string | undefined
  }): Promise<IngestAnswer>
}

/** The latest status of each machine by its ref; null: none known yet. */
export interface StatusSource {
  get(machineRef: MachineRef): LiveStatus | null
}

/** Makes a report. Throws an `ApiError` for what the caller did wrong, or where the processors are too far behind (503). */
export type ReportRunner<Body = unknown> = (request: {
  readonly companyId: string
  readonly body: unknown
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
}) => Promise<ReportAnswer<Body>>

/** A machine's time in which a run counts. */
export interface RunTime {
  readonly companyId: string
  readonly machineId: string
  readonly startMs: number
  /** Infinity while it is open. */
  readonly endMs: number
}

export interface ReportAnswer<Body = unknown> {
  readonly body: Body
  /** How far the processors are behind, for the header `Takt-Lag-Ms`. */
  readonly lagMs: number
}
