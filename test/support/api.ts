import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { hashKey } from '../../api/auth/key.ts'
import { createApi, openApiDocument } from '../../api/create-api.ts'
import { type ApiDeps, type ApiSettings, defaultApiSettings } from '../../api/ports.ts'
import { createAcceptor } from '../../ingest/accept/acceptor.ts'
import type { AlarmInstancesAnswer } from '../../schema/api/alarm-instances.ts'
import { canonicalName } from '../../schema/sample.ts'
import { LogUnavailable, type NewRecord } from '../../schema/log.ts'
import type { Records } from '../../processors/records/records.ts'
import type { Fault } from '../../schema/records.ts'
import type { LiveStatus } from '../../schema/topics.ts'
import { type DirectRegistrar, directRegistrar } from './registrar.ts'
import { type Answered, openApiChecker } from './openapi.ts'

const check = openApiChecker(openApiDocument)

export const adminKey = 'an admin key that is long enough to be one'

/** A service on a port of its own, with real records and a registrar that decides in this process. */
export interface TestApi {
  readonly url: string
  readonly registrar: DirectRegistrar
  /** What the acceptor appended, by topic. */
  readonly log: TestLog
  readonly statuses: Map<number, LiveStatus>
  /** Sends JSON with the admin key; the answer is checked against the OpenAPI document. */
  call(method: string, path: string, body?: unknown, init?: CallInit): Promise<TestAnswer>
  /** A key of the first company with these scopes. */
  addKey(scopes: readonly string[]): string
  close(): Promise<void>
}

export interface CallInit {
  /** null: no Authorization header. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, instead of `body` as JSON. */
  readonly raw?: string | Buffer
  /** For paths that the document does not name. */
  readonly unchecked?: boolean
}

export interface ApiChanges extends Partial<Omit<ApiDeps, 'settings'>> {
  readonly settings?: Partial<ApiSettings>
}

export interface TestAnswer extends Answered {
  readonly headers: Headers
}

export interface TestLog {
  readonly appended: { readonly topic: string; readonly record: NewRecord }[]
  /** Appends are refused while it is down. */
  isDown: boolean
}

export async function startApi(changes: ApiChanges = {}): Promise<TestApi> {
  const registrar = directRegistrar(hashKey(adminKey))
  const log: TestLog = { appended: [], isDown: false }
  const statuses = new Map<number, LiveStatus>()
  const app = createApi({
    records: registrar.records,
    commands: registrar,
    acceptor: acceptorInto(log, registrar.records),
    statuses: { get: ref => statuses.get(ref) ?? null },
    production: async () => ({ body: emptyReport, lagMs: 0 }),
    downtime: async () => ({ body: { ...emptyReport, aggregate: { downtimeMs: 0, recordCount: 0 } }, lagMs: 0 }),
    quality: async () => ({ body: { ...emptyReport, aggregate: { rejectCount: 0, recordCount: 0 } }, lagMs: 0 }),
    alarm: async () => ({ body: { ...emptyReport, aggregate: { durationMs: 0 } }, lagMs: 0 }),
    alarmInstances: async () => ({ body: noAlarmInstances, lagMs: 0 }),
    files: { find: async () => null },
    health: async () => healthy,
    metrics: new Registry(),
    logger: pino({ level: 'silent' }),
    ...changes,
    settings: { ...defaultApiSettings, ...changes.settings },
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${portOf(server.address())}`
  return {
    url,
    registrar,
    log,
    statuses,
    call: (method, path, body, init) => call(url, method, path, body, init),
    addKey(scopes) {
      const key = `test key ${randomUUID()}`
      registrar.addKey({ name: 'Test', scopes, hash: hashKey(key) })
      return key
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export const healthy = {
  status: 'ok',
  version: '0.0.0',
  roles: ['api'],
  live: null,
  livePort: null,
  clickhouse: 'ok',
  log: 'ok',
  lag: { records: 0, seconds: 0 },
} as const

const noAlarmInstances: AlarmInstancesAnswer = {
  entities: { machine: {} },
  range: { start: null, limit: 200, direction: 'ASC', startId: 0 },
  instances: [],
}
const emptyReport = {
  range: { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' },
  aggregate: { oee: null },
  entities: {},
  items: [],
}

/** An answer's body as the type that the test knows it to be (the OpenAPI check has seen it). */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test names the type
export function shaped<T>({ body }: Answered): T {
  const copy: T = JSON.parse(JSON.stringify(body))
  return copy
}

/** `field code` of every fault of an answer. */
export function faultsOf(answer: Answered): string[] {
  return shaped<{ errors: Fault[] }>(answer).errors.map(({ field, code }) => `${field} ${code}`)
}

async function call(
  url: string,
  method: string,
  path: string,
  body: unknown,
  { key = adminKey, headers = {}, raw, unchecked = false }: CallInit = {},
): Promise<TestAnswer> {
  const json = body === undefined ? undefined : JSON.stringify(body)
  const sent = raw ?? json
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent }),
  })
  const text = await response.text()
  const contentType = response.headers.get('content-type')
  const isJson = contentType?.startsWith('application/json') === true
  const parsed: unknown = isJson ? JSON.parse(text) : text
  const answer = { method, path, status: response.status, contentType, body: parsed, headers: response.headers }
  if (!unchecked) check(answer)
  return answer
}

function acceptorInto(log: TestLog, records: Records) {
  return createAcceptor({
    log: {
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
          company: company.ref,
          maxSampleAgeDays,
          namedKeys: new Set(namedKeys),
        }
      },
    },
  })
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}
