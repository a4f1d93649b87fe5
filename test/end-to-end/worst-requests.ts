import { randomUUID } from 'node:crypto'
import { getIntrospectionQuery } from 'graphql'
import { statuses } from '../../schema/document.ts'
import { ruleTrialLimits } from '../../schema/requests/rule-trial.ts'
import { dayMs, hourMs } from '../../shared/time/units.ts'

/** The heaviest request of a route that the default limits accept. */
export interface WorstRequest {
  /** Path with query; default: the route's path with an unknown id. */
  readonly path?: string
  readonly body?: Buffer | FormData
}

export interface WorstPlant {
  readonly machineIds: readonly string[]
  /** First and last local day with samples. */
  readonly days: readonly [string, string]
  /** Rows of an imported file; default: of one with the largest size. */
  readonly importRows?: number
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
/** A body with the maximum number of values, and nearly of bytes, of JSON input; every property is unknown. */
const unknownProperties = (bytes: number): Buffer => {
  const numbers = Array.from({ length: 90_000 }, () => 0)
  const texts = Array.from({ length: Math.floor((bytes - 400_000) / 100_000) }, () => 'x'.repeat(99_000))
  return json({ a: numbers, b: numbers, c: texts })
}

/** A connector with as many rules as possible, each of which maps many values. */
function manyRules(machineIds: readonly string[]): object {
  const map = Object.fromEntries(Array.from({ length: 80 }, (_, value) => [`value ${value}`, 'ACTIVE']))
  return {
    name: 'Many',
    kind: 'mqtt',
    address: 'mqtt://127.0.0.1',
    machines: machineIds.map(machineId => ({ source: machineId, machineId })),
    rules: Array.from({ length: 1_000 }, (_, i) => ({
      from: `plant/${i}`,
      value: '$.value',
      key: `k${i}`,
      type: 'X',
      map,
    })),
  }
}

/** A recording of as many messages as possible, each of which has a sample. */
const manyMessages = Array.from({ length: 11_000 }, () =>
  JSON.stringify({ at: '2026-11-23T08:00:00Z', topic: 'plant/999', payload: { value: 'value 79' } }),
)

/** An alert rule with as many ids as possible. */
function unknownTargets(machineIds: readonly string[]): object {
  const targets = Array.from({ length: 20 }, (_, i) => `${i}${'x'.repeat(190)}`)
  return {
    name: 'Many',
    severity: 'info',
    subject: { machineIds: machineIds.slice(0, 5_000) },
    condition: { alarm: { nativeCodes: Array.from({ length: 1_000 }, () => 'x'.repeat(3_000)), states: [], text: '' } },
    when: { shifts: Array.from({ length: 1_000 }, (_, i) => `shift ${i}`) },
    steps: Array.from({ length: 10 }, () => ({ afterMs: 0, until: 'resolved', targets })),
    template: { subject: '{x}'.repeat(60), text: '{x}'.repeat(1_300) },
  }
}

/** A trial that opens incidents all the time, and needs the history before its range. */
function longestTrial(endDay: string): object {
  const endMs = Date.parse(`${endDay}T00:00:00Z`) + dayMs
  const rule = { name: 'Many', severity: 'info', condition: { status: statuses }, quietMs: dayMs }
  return { rule, start: new Date(endMs - ruleTrialLimits.days * dayMs), end: new Date(endMs) }
}

const maxImportRows = 150_000

/** A form with a file of so many jobs. */
function jobFile(rows: number): FormData {
  const jobs = Array.from({ length: rows }, (_, i) => `WO-${i},${i % 1_000}`).join('\n')
  const form = new FormData()
  form.append('csvFile', new Blob([`name,idealparttime\n${jobs}\n`]), 'jobs.csv')
  return form
}

const pause = { startAt: '2026-03-07T14:00:00Z', endAt: '2026-03-07T20:00:00Z' }

/** Requests for every route, by method and path. */
export function worstRequests({
  machineIds,
  days,
  importRows = maxImportRows,
}: WorstPlant): Readonly<Record<string, WorstRequest>> {
  const largestJson: WorstRequest = { body: unknownProperties(4_100_000) }
  const plain: WorstRequest = {}
  const lists = (most: number) =>
    Array.from({ length: most }, (_, i) => {
      const nested = 'currentStates { metricKey value } annotations { startAt endAt note }'
      return `m${i}: machines(where: {machineId: {_in: $ids}}) { machineId machineRef name make model ${nested} }`
    }).join(' ')
  const graphql: WorstRequest = {
    body: json({ query: `query ($ids: [uuid!]!) { ${lists(16)} }`, variables: { ids: machineIds } }),
  }
  const tools = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    inputValueDeprecation: true,
  })
  const fragments = tools.slice(tools.indexOf('fragment FullType'))
  // Variables are used, because responses to queries without variables are cached.
  const introspection: WorstRequest = {
    body: json({
      query: `query ($is: Boolean = true) { __schema { types { ...FullType } } __typename @include(if: $is) } ${fragments}`,
    }),
  }
  const graphqlByGet = (path: string): WorstRequest => {
    const few = JSON.stringify({ ids: machineIds.slice(0, 100) })
    const query = new URLSearchParams({ query: `query ($ids: [uuid!]!) { ${lists(15)} }`, variables: few })
    return { path: `${path}?${query.toString()}` }
  }
  const [startDay, endDay] = days
  const report = (metrics: readonly string[], groups: readonly string[]): WorstRequest => ({
    body: json({
      startDay,
      endDay,
      data: metrics.map(metric => ({ metric })),
      groupBy: groups.map(group => ({ group })),
    }),
  })
  const records = (groups: readonly string[], metrics: readonly string[] = []): WorstRequest => ({
    body: json({
      start: `${startDay}T00:00:00Z`,
      end: `${endDay}T23:59:59Z`,
      groupBy: groups.map(group => ({ group })),
      ...(metrics.length > 0 && { data: metrics.map(metric => ({ metric })) }),
    }),
  })
  const manyStates = Array.from({ length: 1_000 }, (_, i) => machineIds[i] ?? randomUUID())
  const manyIds = Array.from({ length: 90_000 }, () => randomUUID())
  const shift = (i: number) => ({
    name: `Shift ${i}`,
    start: `${String(Math.floor(i / 10)).padStart(2, '0')}:${String((i % 10) * 6).padStart(2, '0')}`,
    end: `${String(Math.floor((i + 1) / 10)).padStart(2, '0')}:${String(((i + 1) % 10) * 6).padStart(2, '0')}`,
  })
  const shifts = Array.from({ length: 200 }, (_, i) => ({ ...shift(i), days: [1, 2, 3, 4, 5, 6, 7] }))
  const versions = Array.from({ length: 25 }, (_, i) => ({
    effectiveFrom: new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10),
    shifts,
  }))
  const samples = Array.from({ length: 200_000 }, (_, i) => ({
    machineId: machineIds[i % machineIds.length],
    timestamp: new Date(Date.now() - hourMs + i).toISOString(),
    key: 'load',
    type: 'LOAD',
    value: String(i),
  }))
  const machines = `/machines/${machineIds[0]}`
  const range = `start=${startDay}T00:00:00Z&end=${endDay}T23:59:59Z`
  const recordIds = Array.from({ length: 1_000 }, (_, i) => `${machineIds[i % machineIds.length]}_${Date.now() - i}`)
  return {
    'GET /accounts/current': plain,
    'POST /session': { body: json({ email: 'a'.repeat(8_000), password: 'b'.repeat(8_000) }) },
    'POST /set-up/check': { body: json({ token: 'a'.repeat(16_000) }) },
    'POST /set-up': { body: json({ token: 'a'.repeat(8_000), password: 'b'.repeat(8_000) }) },
    'GET /session': plain,
    'GET /session/ways': plain,
    'POST /session/openid/start': { body: json({ token: 'a'.repeat(16_000) }) },
    'POST /session/openid': { body: json({ query: 'a'.repeat(16_000) }) },
    'POST /session/openid/link/start': largestJson,
    'POST /session/openid/link': largestJson,
    'DELETE /session/identity': plain,
    'DELETE /session': plain,
    'PUT /session/password': largestJson,
    'GET /users': plain,
    'POST /users': largestJson,
    'PATCH /users/:id': largestJson,
    'DELETE /users/:id': plain,
    'DELETE /users/:id/identity': plain,
    'GET /api-keys': plain,
    'POST /api-keys': largestJson,
    'PATCH /api-keys/:id': largestJson,
    'DELETE /api-keys/:id': plain,
    'GET /audit': { path: '/audit?limit=1000' },
    'GET /settings': plain,
    'PUT /settings': largestJson,
    'GET /settings/sign-on': plain,
    'PUT /settings/sign-on': largestJson,
    'GET /machines': plain,
    'GET /machines/:id': { path: machines },
    'PUT /machines/:id': largestJson,
    'DELETE /machines/:id': plain,
    'GET /machines/:id/timeline': { path: `${machines}/timeline?${range}&points=2000` },
    'POST /machines/states': {
      body: json({ machineIds: manyStates, start: `${endDay}T00:00:00Z`, end: `${endDay}T23:59:59Z`, points: 200 }),
    },
    'GET /machines/:id/metrics': { path: `${machines}/metrics` },
    'GET /machines/:id/metric-values': { path: `${machines}/metric-values?key=load&${range}&points=2000` },
    'GET /machine-groups': plain,
    'GET /machine-groups/:id': plain,
    'PUT /machine-groups/:id': { body: json({ name: 'All', machineIds: manyIds }) },
    'DELETE /machine-groups/:id': plain,
    'GET /schedules': plain,
    'GET /schedules/:id': plain,
    'PUT /schedules/:id': { body: json({ name: 'Many', versions, exceptions: [] }) },
    'DELETE /schedules/:id': plain,
    'GET /connectors': plain,
    'GET /connectors/:id': plain,
    'PUT /connectors/:id': { body: json(manyRules(machineIds)) },
    'DELETE /connectors/:id': plain,
    'POST /connectors/discover': { body: json({ kind: 'mqtt', address: 'mqtt://127.0.0.1:9', seconds: 1 }) },
    'POST /connectors/preview': { body: json({ connector: manyRules(machineIds) }) },
    'POST /connectors/try': { body: json({ connector: manyRules(machineIds), recording: manyMessages }) },
    'GET /alert-rules': plain,
    'GET /alert-rules/:id': plain,
    'PUT /alert-rules/:id': { body: json(unknownTargets(machineIds)) },
    'DELETE /alert-rules/:id': plain,
    'POST /alert-rules/try': { body: json(longestTrial(endDay)) },
    'GET /alert-targets': plain,
    'GET /alert-targets/:id': plain,
    'PUT /alert-targets/:id': largestJson,
    'POST /alert-targets/:id/rotate-secret': plain,
    'DELETE /alert-targets/:id': plain,
    'GET /alert-pauses': plain,
    'GET /alert-pauses/:id': plain,
    'PUT /alert-pauses/:id': { body: json({ ...pause, subject: { machineIds: manyIds.slice(0, 5_000) } }) },
    'DELETE /alert-pauses/:id': plain,
    'GET /alert-gaps': plain,
    'GET /deliveries': { path: `/deliveries?incidentId=${randomUUID()}&limit=200` },
    'GET /incidents': {
      path: `/incidents?${machineIds
        .slice(0, 90)
        .map(id => `machineId=${id}`)
        .join('&')}&start=2000-01-01T00:00:00Z`,
    },
    'GET /incidents/:id': plain,
    'POST /incidents/:id/acknowledge': plain,
    'POST /incidents/:id/assign': largestJson,
    'POST /incidents/:id/comment': largestJson,
    'POST /incidents/:id/resolve': plain,
    'GET /incident-assignees': plain,
    'POST /calls': { body: json({ machineId: machineIds[0], kind: 'help', note: 'x'.repeat(2_000) }) },
    'GET /operators': plain,
    'GET /operators/:id': plain,
    'PUT /operators/:id': largestJson,
    'DELETE /operators/:id': plain,
    'GET /operator-runs': plain,
    'POST /operator-runs': largestJson,
    'POST /operator-runs/:id/end': largestJson,
    'GET /downtime-reasons': plain,
    'POST /downtime-reasons': largestJson,
    'PUT /downtime-reasons/:id': largestJson,
    'DELETE /downtime-reasons/:id': plain,
    'GET /downtime-records': { path: `/downtime-records?${range}&orderBy=duration&limit=1000` },
    'GET /downtime-records/microstops': { path: `/downtime-records/microstops?${range}` },
    'POST /downtime-records/categorize': { body: json({ records: recordIds, reasonId: null }) },
    'POST /downtime-records/split': largestJson,
    'POST /downtime-records/merge': { body: json({ records: recordIds }) },
    'GET /annotations': plain,
    'POST /annotations': largestJson,
    'PUT /annotations/:id': largestJson,
    'DELETE /annotations/:id': plain,
    'GET /part-adjustment-types': plain,
    'POST /part-adjustment-types': largestJson,
    'PUT /part-adjustment-types/:id': largestJson,
    'DELETE /part-adjustment-types/:id': plain,
    'POST /part-adjustment': largestJson,
    'PUT /part-adjustment/:id': largestJson,
    'DELETE /part-adjustment/:id': plain,
    'GET /part-adjustments': plain,
    'GET /job-operations': plain,
    'GET /job-operations/:id': plain,
    'PUT /job-operations/:id': largestJson,
    'DELETE /job-operations/:id': plain,
    'POST /erp/jobdispatch/start': largestJson,
    'POST /erp/jobdispatch/production': largestJson,
    'POST /erp/jobdispatch/stop': largestJson,
    'GET /erp/jobdispatch': plain,
    'GET /erp/jobdispatch/:id': plain,
    'GET /job-runs': { path: '/job-runs?limit=1000' },
    'POST /jobs/import/preview': { body: jobFile(maxImportRows) },
    'POST /jobs/import': { body: jobFile(importRows) },
    'GET /dead-letters': plain,
    'POST /dead-letters/replay': largestJson,
    'GET /demo': plain,
    'POST /demo/leave': plain,
    'POST /ingest/samples': { body: json(samples) },
    'POST /graphql': graphql,
    'GET /graphql': graphqlByGet('/graphql'),
    'POST /v1/graphql': introspection,
    'GET /v1/graphql': graphqlByGet('/v1/graphql'),
    'POST /proxy/graphql': graphql,
    'GET /proxy/graphql': graphqlByGet('/proxy/graphql'),
    'GET /recomputes': plain,
    'POST /recomputes': plain,
    'POST /reports/production': report(['oee', 'goodParts', 'availability', 'downtime'], ['machine', 'hour', 'shift']),
    'POST /reports/production/explanation': report(['oee', 'teep', 'expectedPartsPerHour'], ['machine']),
    'POST /reports/downtime': records(['machine', 'day', 'reason', 'shift']),
    'POST /reports/quality': records(['machine', 'day', 'reason', 'shift']),
    'POST /reports/alarm': records(['machine', 'hour', 'nativeCode'], ['durationMs', 'recordCount', 'machineCount']),
    'POST /reports/alarm/instances': { body: json({ start: `${startDay}T00:00:00Z`, limit: 200 }) },
    'POST /reports/incident': records(['incident', 'operator', 'shift', 'machineGroup']),
    'POST /reports/cycle-times': {
      body: json({ startDay, endDay, jobOperation: 'none', filter: { machine: manyIds, shift: ['none'] } }),
    },
    'GET /csv/production/:id': plain,
    'GET /csv/downtime/:id': plain,
    'GET /csv/quality/:id': plain,
    'GET /csv/alarm/:id': plain,
    'GET /csv/alarm/instances/:id': plain,
    'GET /csv/incident/:id': plain,
    'GET /user-token': plain,
    'GET /health': plain,
    'GET /health/ready': plain,
    'GET /health/live': plain,
    'GET /metrics': plain,
    'GET /docs': plain,
    'GET /docs/guides': plain,
    'GET /docs/guides/:name': { path: '/docs/guides/api-guide' },
    'GET /openapi.json': plain,
  }
}
