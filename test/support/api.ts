import type { SampleIssueResponse } from '../../schema/records/machine.ts'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { accessByRecords } from '../../api/auth/access.ts'
import { hashKey } from '../../api/auth/key.ts'
import { newSession } from '../../api/auth/session.ts'
import { createThrottle, guessWindowMs } from '../../api/auth/throttle.ts'
import { createSetUpLink } from '../../api/auth/set-up-link.ts'
import { createSignIn } from '../../api/auth/sign-in.ts'
import { type ApiDeps, createApi, openApiDocument } from '../../api/create-api.ts'
import { sessionCookie } from '../../api/http/cookie.ts'
import { type ApiSettings, defaultApiSettings } from '../../api/ports/settings.ts'
import { noMachineSamples } from '../../api/live/values/machine-samples.ts'
import type { PlantReader } from '../../api/reports/plant-reader.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import { createImportLimiter } from '../../api/import/import-limiter.ts'
import { readMappings } from '../../api/import/mappings.ts'
import { ConnectorTrials } from '../../service/connector-trials.ts'
import { loadApp } from '../../service/app/load-app.ts'
import { createAcceptor } from '../../ingest/accept/acceptor.ts'
import { followPostedMappings } from '../../ingest/mapping/posted-mappings.ts'
import { eventMetrics } from '../../schema/event-metrics.ts'
import type { AlarmInstancesResponse } from '../../schema/requests/alarm-instances.ts'
import type { CycleTimesResponse } from '../../schema/requests/cycle-times.ts'
import type { Role } from '../../schema/roles.ts'
import { canonicalName } from '../../schema/sample.ts'
import { LogUnavailable, type NewRecord } from '../../log/log.ts'
import type { Records } from '../../processors/records/records.ts'
import type { FieldError } from '../../schema/errors.ts'
import { AllowedNetworks } from '../../shared/allowed-networks.ts'
import { WebhookAddresses } from '../../shared/webhook-addresses.ts'
import { SecretBox } from '../../shared/secret-box.ts'
import type { JsonBounds } from '../../shared/json/bounds.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import { projectedStore } from './projected-store.ts'
import { type DirectRegistrar, directRegistrar } from './registrar.ts'
import { type Answered, openApiChecker } from './openapi.ts'
import { withoutHistory } from './without-history.ts'

const check = openApiChecker(openApiDocument())

export const adminKey = 'an admin key that is long enough to be one'

/** A service on its own port, with real records and a registrar in this process. */
export interface TestApi {
  readonly url: string
  readonly registrar: DirectRegistrar
  /** Records that the acceptor appended, by topic. */
  readonly log: TestLog
  readonly statuses: Map<number, LiveStatus>
  readonly sampleIssues: Map<number, readonly SampleIssueResponse[]>
  /** Sends JSON with the admin key; checks the response against the OpenAPI document. */
  call(method: string, path: string, body?: unknown, init?: CallInit): Promise<TestAnswer>
  /** A key of the first company with these scopes. */
  addKey(scopes: readonly string[]): string
  /** A signed-in user of the first company with this role. */
  signIn(role: Role): Promise<TestSession>
  close(): Promise<void>
}

export interface TestSession {
  readonly userId: string
  readonly sessionId: string
  /** For `CallInit.cookie`. */
  readonly cookie: string
}

export interface CallInit {
  /** null: no Authorization header. */
  readonly key?: string | null
  /** Cookie from `signIn`, sent as by a browser on a page of the service; no key is then sent. */
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent unchanged, instead of `body` as JSON. */
  readonly raw?: string | Buffer | FormData
  /** Disconnects before the response. */
  readonly signal?: AbortSignal
  /** For paths that are not in the document. */
  readonly unchecked?: boolean
}

export interface ApiChanges extends Partial<Omit<ApiDeps, 'settings'>> {
  readonly settings?: Partial<ApiSettings>
  /** Whether old records are in the store only (`withoutHistory`). */
  readonly isWithoutHistory?: boolean
}

export interface TestAnswer extends Answered {
  readonly headers: Headers
}

export interface TestLog {
  readonly appended: { readonly topic: string; readonly record: NewRecord }[]
  /** While true, appends are rejected. */
  isDown: boolean
}

export async function startApi(changes: ApiChanges = {}): Promise<TestApi> {
  const registrar = directRegistrar(hashKey(adminKey))
  const store = projectedStore(registrar)
  const log: TestLog = { appended: [], isDown: false }
  const statuses = new Map<number, LiveStatus>()
  const sampleIssues = new Map<number, readonly SampleIssueResponse[]>()
  const folder = mkdtempSync(join(tmpdir(), 'takt-uploads-'))
  const settings = { ...defaultApiSettings, uploads: { folder, limitBytes: 1_000_000 }, ...changes.settings }
  const access = changes.access ?? accessByRecords(registrar.records)
  const keyUses = new Map<string, number>()
  const app = createApi({
    records: changes.isWithoutHistory === true ? withoutHistory(registrar.records) : registrar.records,
    catchUpRecords: async () => undefined,
    commands: registrar,
    access,
    oauth: null,
    guesses: createThrottle({ limit: settings.guessesPerAddress, windowMs: guessWindowMs }),
    keyUses: {
      note: id => void keyUses.set(id, Date.now()),
      lastUsed: async () => keyUses,
    },
    connectorSecrets: new SecretBox(Buffer.alloc(32, 'secret')),
    hasSecretFolder: false,
    connectorNetworks: new AllowedNetworks([]),
    webhookAddresses: new WebhookAddresses(['public']),
    connectorHealth: { get: () => null },
    connectorTrials: new ConnectorTrials({
      records: registrar.records,
      allows: address => new AllowedNetworks([]).allows(address, registrar.records.companies().length === 1),
      secretFolder: { read: async () => ({}) },
      recentSamples: async () => [],
      clock: Date.now,
    }).port,
    setUpLink: createSetUpLink(Date.now),
    app: await loadApp(() => undefined),
    expectReads: () => undefined,
    openid: null,
    openidStarts: createThrottle({ limit: settings.openidStartsPerAddress, windowMs: guessWindowMs }),
    openidAttempts: createThrottle({ limit: settings.signInsPerAddress, windowMs: guessWindowMs }),
    signIn: createSignIn({ access, records: registrar.records, limits: settings }),
    audit: async () => ({ items: [], cursor: null }),
    acceptor: acceptorInto(log, registrar.records, settings.ingest),
    statuses: { get: ref => statuses.get(ref) ?? null },
    machineSamples: noMachineSamples,
    recentValues: () => [],
    requestFlush: () => undefined,
    sampleIssues: { get: ref => sampleIssues.get(ref) ?? [] },
    production: async () => emptyReport,
    explanation: async () => ({ range: emptyReport.range, metrics: {}, sums: {} }),
    downtime: async () => ({ ...emptyReport, aggregate: { downtimeMs: 0, recordCount: 0 } }),
    quality: async () => ({ ...emptyReport, aggregate: { rejectCount: 0, recordCount: 0 } }),
    alarm: async () => ({ ...emptyReport, aggregate: { durationMs: 0 } }),
    alarmInstances: async () => noAlarmInstances,
    incident: async () => ({ ...emptyReport, aggregate: noIncidents }),
    cycleTimes: async () => noCycleTimes,
    lagMs: () => 0,
    tryRule: async () => ({ incidents: [], hasMore: false, untriedMachines: 0 }),
    jobRunParts: async () => ({ totalParts: 0, goodParts: 0, scrapParts: 0, nonconformParts: 0 }),
    plant: noPlant,
    store: { ...noStore, queryColumns: (...args) => store.queryColumns(...args) },
    files: { find: async () => null },
    imports: createImportLimiter(await readMappings(null)),
    deadLetters: { list: async () => ({ reasons: [] }), replay: async () => ({ replayed: 0, passedOver: 0 }) },
    demo: { machines: () => 0, history: () => null, leave: async () => ({ decommissioned: 0, deleted: 0 }) },
    recomputing: () => ({ dirtyHours: 0, sinceMs: null, rebuilds: new Map() }),
    health: async () => healthy,
    readiness: async () => ({ ready: true, reasons: [], liveLag: healthy.liveLag }),
    metrics: new Registry(),
    clock: Date.now,
    logger: pino({ level: 'silent' }),
    ...changes,
    settings,
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${portOf(server.address())}`
  return {
    url,
    registrar,
    log,
    statuses,
    sampleIssues,
    call: (method, path, body, init) => call(url, method, path, body, init),
    addKey(scopes) {
      const key = `test key ${randomUUID()}`
      registrar.addKey({ name: 'Test', scopes, hash: hashKey(key) })
      return key
    },
    signIn: role => signIn(registrar, role),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The other methods of the store, which these tests do not use. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a call fails
const noStore = {} as Store

const noPlant: PlantReader = {
  microstops: async () => [],
  downtimeRecords: async () => ({
    records: [],
    next: null,
    used: { start: '', end: '', orderBy: 'start', direction: 'ASC' },
  }),
  findDowntimeRecords: async () => [],
  timeline: async ({ id }) => ({ ...emptyTimeline, machineId: id }),
  states: async () => ({ start: emptyTimeline.range.start, stepMs: 1000, machines: [] }),
  metricValues: async ({ id }, { key, type = '', subtype = '' }) => ({
    machineId: id,
    key,
    type,
    subtype,
    resolutionMs: 1000,
    values: [],
  }),
  metrics: async () => ({ metrics: [] }),
}

const emptyTimeline = {
  range: { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' },
  resolutionMs: 0,
  states: [],
  shifts: [],
  jobs: [],
  operators: [],
  downtime: [],
  alarms: [],
  entities: { shift: {}, job: {}, operator: {}, reason: {} },
}

export const healthy = {
  status: 'ok',
  version: '0.0.0',
  problems: [],
  roles: ['api'],
  live: null,
  liveSource: null,
  livePort: null,
  clickhouse: 'ok',
  log: 'ok',
  lag: { records: 0, seconds: 0 },
  liveLag: { records: 0, seconds: 0 },
  backlog: { hours: 0, days: 0 },
} as const

/** Values of the incident report without incidents. */
const noIncidents = Object.fromEntries(Object.keys(eventMetrics.incident).map(name => [name, 0]))

export const noAlarmInstances: AlarmInstancesResponse = {
  entities: { machine: {} },
  range: { start: null, limit: 200, direction: 'ASC', startId: 0 },
  instances: [],
}
export const noCycleTimes: CycleTimesResponse = {
  range: { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' },
  cycleCount: 0,
  p10Ms: null,
  medianMs: null,
  p90Ms: null,
  standardMs: null,
  aboveStandardCount: 0,
  bins: [],
  shorterCount: 0,
  longerCount: 0,
}
/** Response of the test's reports, in the form of the production report. */
export const emptyReport = {
  range: { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' },
  aggregate: { oee: null },
  entities: {},
  items: [],
}

/** The body of a response as the type that the test expects (the OpenAPI check has validated it). */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names the type
export function shaped<T>({ body }: Answered): T {
  const copy: T = JSON.parse(JSON.stringify(body))
  return copy
}

/** `field code` of every field error of a response. */
export function faultsOf(answer: Answered): string[] {
  return shaped<{ errors: FieldError[] }>(answer).errors.map(({ field, code }) => `${field} ${code}`)
}

async function call(
  url: string,
  method: string,
  path: string,
  body: unknown,
  { cookie, key = cookie === undefined ? adminKey : null, headers = {}, raw, signal, unchecked = false }: CallInit = {},
): Promise<TestAnswer> {
  const json = body === undefined ? undefined : JSON.stringify(body)
  const sent = raw ?? json
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { cookie, origin: url }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  const contentType = response.headers.get('content-type')
  const isJson = /^application\/(graphql-response\+)?json/.test(contentType ?? '')
  const parsed: unknown = isJson ? JSON.parse(text) : text
  const answer = { method, path, status: response.status, contentType, body: parsed, headers: response.headers }
  if (!unchecked) check(answer)
  return answer
}

/** A user with a session, created without hashing a password. */
async function signIn(registrar: DirectRegistrar, role: Role): Promise<TestSession> {
  const { id: userId } = await registrar.perform('user.create', {
    email: `${randomUUID()}@plant.example`,
    displayName: `A ${role}`,
    role,
    passwordHash: 'no hash',
  })
  const { id, cookie } = newSession(userId)
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const idleSince = new Date(Date.now() - 3_600_000).toISOString()
  await registrar.perform('session.start', { id, userId, passwordHash: 'no hash', expiresAt, idleSince })
  return { userId, sessionId: id, cookie: `${sessionCookie}=${cookie}` }
}

function acceptorInto(log: TestLog, records: Records, bounds: JsonBounds) {
  return createAcceptor({
    bounds,
    mappings: followPostedMappings(records),
    log: {
      partitionCount: async () => 1,
      async append(topic, appended) {
        if (log.isDown) throw new LogUnavailable('disk full')
        for (const record of appended) log.appended.push({ topic, record })
        return appended.map((_, offset) => ({ partition: 0, offset }))
      },
    },
    machines: {
      find(id) {
        const machine = records.machine(id)
        const company = machine && records.company(machine.companyId)
        if (!machine || !company) return undefined
        const namedKeys = [machine.partCountKey, machine.cutSignal?.key].flatMap(key =>
          key ? [canonicalName(key)] : [],
        )
        const { maxSampleAgeDays } = company.settings
        return {
          id: machine.id,
          ref: machine.ref,
          companyRef: company.ref,
          maxSampleAgeDays,
          namedKeys: new Set(namedKeys),
          counter: null,
        }
      },
    },
  })
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}
