import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openApiDocument } from '../../../api/create-api.ts'
import { openApiChecker } from '../../support/openapi.ts'
import { startService, testKey, type TestService } from '../../support/service.ts'

/**
 * Every operation, after the operations whose examples create the records that its own example needs. Some are repeated, as the
 * records are deleted in between.
 */
const order = [
  'POST /set-up/check',
  'POST /set-up',
  'PUT /settings',
  'GET /settings',
  'PUT /settings/sign-on',
  'GET /settings/sign-on',
  'PUT /schedules/{id}',
  'GET /schedules',
  'GET /schedules/{id}',
  'DELETE /schedules/{id}',
  'PUT /schedules/{id}',
  'PUT /machines/{id}',
  'GET /machines',
  'GET /machines/{id}',
  'POST /machines/states',
  'PUT /machine-groups/{id}',
  'GET /machine-groups',
  'GET /machine-groups/{id}',
  'PUT /machines/{id}',
  'DELETE /machine-groups/{id}',
  'POST /calls',
  'GET /incidents',
  'GET /incidents/{id}',
  'GET /incident-assignees',
  'POST /incidents/{id}/acknowledge',
  'POST /incidents/{id}/assign',
  'POST /incidents/{id}/comment',
  'POST /incidents/{id}/resolve',
  'PUT /connectors/{id}',
  'GET /connectors',
  'GET /connectors/{id}',
  'DELETE /connectors/{id}',
  'POST /connectors/try',
  'PUT /alert-targets/{id}',
  'GET /alert-targets',
  'GET /alert-targets/{id}',
  'POST /alert-targets/{id}/rotate-secret',
  'PUT /alert-rules/{id}',
  'GET /alert-rules',
  'GET /alert-rules/{id}',
  'POST /alert-rules/try',
  'DELETE /alert-rules/{id}',
  'DELETE /alert-targets/{id}',
  'PUT /alert-pauses/{id}',
  'GET /alert-pauses',
  'GET /alert-pauses/{id}',
  'DELETE /alert-pauses/{id}',
  'GET /deliveries',
  'GET /alert-gaps',
  'PUT /operators/{id}',
  'GET /operators',
  'GET /operators/{id}',
  'DELETE /operators/{id}',
  'PUT /operators/{id}',
  'POST /operator-runs',
  'GET /operator-runs',
  'POST /operator-runs/{id}/end',
  'POST /downtime-reasons',
  'PUT /downtime-reasons/{id}',
  'GET /downtime-reasons',
  'POST /annotations',
  'PUT /annotations/{id}',
  'GET /annotations',
  'DELETE /annotations/{id}',
  'DELETE /downtime-reasons/{id}',
  'POST /part-adjustment-types',
  'PUT /part-adjustment-types/{id}',
  'GET /part-adjustment-types',
  'POST /part-adjustment',
  'PUT /part-adjustment/{id}',
  'GET /part-adjustments',
  'DELETE /part-adjustment/{id}',
  'DELETE /part-adjustment-types/{id}',
  'PUT /job-operations/{id}',
  'GET /job-operations',
  'GET /job-operations/{id}',
  'DELETE /job-operations/{id}',
  'POST /erp/jobdispatch/start',
  'POST /erp/jobdispatch/production',
  'GET /erp/jobdispatch',
  'GET /erp/jobdispatch/{id}',
  'POST /erp/jobdispatch/stop',
  'GET /job-runs',
  'POST /jobs/import/preview',
  'POST /jobs/import',
  'POST /ingest/samples',
  'PUT /downtime-reasons/{id}',
  'GET /downtime-records',
  'GET /downtime-records/microstops',
  'POST /downtime-records/split',
  'POST /downtime-records/merge',
  'POST /downtime-records/categorize',
  'GET /machines/{id}/timeline',
  'GET /machines/{id}/metrics',
  'GET /machines/{id}/metric-values',
  'GET /dead-letters',
  'POST /dead-letters/replay',
  'GET /demo',
  'POST /demo/leave',
  'POST /recomputes',
  'GET /recomputes',
  'POST /reports/production',
  'POST /reports/production/explanation',
  'POST /reports/downtime',
  'POST /reports/quality',
  'POST /reports/alarm',
  'POST /reports/alarm/instances',
  'POST /reports/incident',
  'POST /reports/cycle-times',
  'GET /csv/production/{id}',
  'GET /csv/downtime/{id}',
  'GET /csv/quality/{id}',
  'GET /csv/alarm/{id}',
  'GET /csv/alarm/instances/{id}',
  'GET /csv/incident/{id}',
  'POST /graphql',
  'GET /graphql',
  'POST /v1/graphql',
  'GET /v1/graphql',
  'POST /proxy/graphql',
  'GET /proxy/graphql',
  'GET /accounts/current',
  'GET /user-token',
  'POST /api-keys',
  'GET /api-keys',
  'PATCH /api-keys/{id}',
  'DELETE /api-keys/{id}',
  'POST /users',
  'GET /users',
  'PATCH /users/{id}',
  'POST /session',
  'GET /session',
  'GET /session/ways',
  'PUT /session/password',
  'DELETE /session',
  'DELETE /users/{id}',
  'GET /audit',
  'DELETE /machines/{id}',
  'GET /health',
  'GET /health/ready',
  'GET /health/live',
  'GET /metrics',
  'GET /docs',
  'GET /docs/guides',
  'GET /docs/guides/{name}',
  'GET /openapi.json',
]

/** Start of a path to the operation whose response contains the id of such paths. */
const makers: Readonly<Record<string, string>> = {
  '/operator-runs/': 'POST /operator-runs',
  '/part-adjustment/': 'POST /part-adjustment',
  '/api-keys/': 'POST /api-keys',
  '/users/': 'POST /users',
  '/incidents/': 'POST /calls',
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly example?: string | number
}

interface Operation {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}

const check = openApiChecker(openApiDocument())

describe('the examples of the OpenAPI document', function () {
  const folder = mkdtempSync(join(tmpdir(), 'takt-examples-'))
  let service: TestService
  /** Cookies of an administrator, and of the user whom an example signs in. */
  const cookies = { admin: '', user: '' }
  /** Ids that the service created, by the operation that returned them. */
  const given = new Map<string, string>()

  before(async () => {
    writeFileSync(join(folder, 'secret'), 'x'.repeat(32))
    service = await startService({
      nowMs: Date.parse('2026-03-03T12:00:00Z'),
      env: { TAKT_CONNECT_SECRET_FILE: join(folder, 'secret') },
    })
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** These need a provider: `test/web/sign-on.test.ts` has one. */
  const ofProvider = [
    'POST /session/openid/start',
    'POST /session/openid',
    'POST /session/openid/link/start',
    'POST /session/openid/link',
    'DELETE /session/identity',
    'DELETE /users/{id}/identity',
  ]

  /** These need a source: `test/api/routes/connector-trials.test.ts` has them. */
  const ofSource = ['POST /connectors/discover', 'POST /connectors/preview']

  it('The tested examples cover every operation', () => {
    const operations = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    )
    expect([...new Set(order), ...ofProvider, ...ofSource]).to.have.members(operations)
  })

  for (const name of order)
    it(`The example of ${name} succeeds`, async () => {
      const [method = '', path = ''] = name.split(' ')
      const operation = operationOf(method, path)
      await prepare(path)
      const contents = Object.entries(operation.requestBody?.content ?? {})
      const bodies =
        contents.length === 0
          ? [undefined]
          : contents.map(([type, { example }]) => bodyOf(type, withSecret(path, example)))
      for (const body of bodies) {
        const url = addressOf(path, operation)
        const response = await fetch(service.url + url, {
          method,
          headers: { ...credentials(path, operation), ...(body?.type !== undefined && { 'content-type': body.type }) },
          ...(body && { body: body.sent }),
        })
        const text = await response.text()
        const success = Object.keys(operation.responses).filter(status => status.startsWith('2'))
        expect([String(response.status)], text).to.deep.equal(success)
        const contentType = response.headers.get('content-type')
        const answer: unknown = contentType?.startsWith('application/json') === true ? JSON.parse(text) : text
        check({ method, path: url, status: response.status, contentType, body: answer })
        if (typeof answer === 'object' && answer !== null && 'id' in answer) given.set(name, String(answer.id))
        if (name === 'POST /ingest/samples') expect(answer).to.have.property('rejectedCount', 0)
        if (name === 'POST /set-up') cookies.admin = cookieOf(response)
        if (name === 'POST /session') cookies.user = cookieOf(response)
      }
    })

  /** The set-up link contains a secret of this service. */
  function withSecret(path: string, example: unknown): unknown {
    return path.startsWith('/set-up') ? { ...Object(example), token: service.setUpToken } : example
  }

  function addressOf(path: string, { parameters }: Operation): string {
    const maker = Object.entries(makers).find(([start]) => path.startsWith(start))?.[1]
    const drawn = path.startsWith('/csv/') ? given.get('file') : maker && given.get(maker)
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const { example } = parameters.find(parameter => parameter.in === 'path' && parameter.name === name) ?? {}
      expect(example, `${path} has no example of ${name}`).not.equal(undefined)
      return encodeURIComponent(drawn ?? String(example))
    })
    const query = parameters.filter(parameter => parameter.in === 'query' && parameter.required === true)
    const pairs = query.map(({ name, example }): [string, string] => [name, String(example)])
    return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`
  }

  function credentials(path: string, { security }: Operation): Readonly<Record<string, string>> {
    const needsUser = security?.length === 1 && security.some(way => 'session' in way)
    if (!needsUser) return { authorization: `Bearer ${testKey}` }
    return { cookie: path.startsWith('/session') ? cookies.user : cookies.admin, origin: service.url }
  }

  /** A report is stored as a file only on request, and a stop is a record after its samples are in the documents. */
  async function prepare(path: string): Promise<void> {
    if (path.startsWith('/downtime-records')) await service.settled()
    const [, report] = /^\/csv\/(.*)\/\{id\}$/.exec(path) ?? []
    if (report === undefined) return
    const { content } = operationOf('POST', `/reports/${report}`).requestBody ?? { content: {} }
    const sent = JSON.stringify({ ...Object(content['application/json']?.example), csv: true })
    const response = await fetch(`${service.url}/reports/${report}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}` },
      body: sent,
    })
    const { csv }: { readonly csv: { readonly url: string } } = JSON.parse(await response.text())
    given.set('file', csv.url.split('/').at(-1) ?? '')
  }
})

function operationOf(method: string, path: string): Operation {
  const operation: Operation = JSON.parse(JSON.stringify(openApiDocument().paths[path]?.[method.toLowerCase()]))
  return operation
}

function bodyOf(type: string, example: unknown): { readonly type?: string; readonly sent: string | FormData } {
  expect(example, `no example of ${type}`).not.equal(undefined)
  if (type === 'application/json') return { type, sent: JSON.stringify(example) }
  if (type !== 'multipart/form-data') return { type, sent: String(example) }
  const form = new FormData()
  const fields: Readonly<Record<string, unknown>> = { ...Object(example) }
  for (const [name, value] of Object.entries(fields))
    form.set(name, name === 'csvFile' ? new Blob([String(value)]) : String(value))
  return { sent: form }
}

function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}
