import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { hashKey } from '../../api/auth/key.ts'
import { openApiDocument } from '../../api/create-api.ts'
import { readAs } from '../support/read-as.ts'
import { caller, startService, type TestService, testKey } from '../support/service.ts'

type Call = TestService['call']

const otherKey = 'a-key-of-the-other-company-in-these-tests'
const nowMs = Date.parse('2026-03-03T12:00:00.000Z')

/** Paths whose responses are public, because they belong to the installation and not to a company. */
const publicPaths = new Set([
  '/health',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/docs/guides',
  '/user-token',
])

describe('two companies of one installation', function () {
  let service: TestService
  let first: Call
  let second: Call
  /** Responses to the first company when both are filled. They are read once, because that takes seconds. */
  let own: Readonly<Record<string, unknown>>

  before(async () => {
    service = await startService({ nowMs })
    const payload = { companyName: 'Second', adminKeyHash: hashKey(otherKey) }
    resultOrThrow(await service.commands.submit('company.create', payload, { companyId: null }))
    first = caller(service.url, testKey)
    second = caller(service.url, otherKey)
    // The first token creates the secret of the company, which is an entry of its audit trail.
    for (const call of [first, second]) await call('GET', '/user-token')
  })
  after(() => service.stop())

  it('No route returns data of another company', async () => {
    await fillPlant(second, 'Second')
    await service.settled()
    const before = await everything(second)
    await fillPlant(first, 'First', 3)
    await service.settled()
    assert.deepEqual(await everything(second), before, 'responses to the second company after the first one was filled')
    own = await everything(first)
    assert.notDeepEqual(own, before)
    assert.include(JSON.stringify(own), 'First machine')
    const cycles = Object.entries(own).find(([name]) => name.startsWith('POST /reports/cycle-times'))
    assert.isAbove(Number(property(cycles?.[1], 'cycleCount')), 0)
    assert.notInclude(JSON.stringify(own), 'Second')
    assert.notInclude(JSON.stringify(before), 'First machine')
  })

  it('No route reads or changes a record of another company by its id', async () => {
    const found = new Set(JSON.stringify(own).match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [])
    const ids = [...found].filter(id => id !== operationId)
    assert.isAbove(ids.length, 3)
    const asked = Object.entries(openApiDocument().paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
    )
    // PUT is sent after all other methods, because a record that it creates belongs to the caller.
    const isPut = ({ method }: { readonly method: string }) => Number(method === 'put')
    for (const { path, method, operation } of asked.toSorted((a, b) => isPut(a) - isPut(b))) {
      if (!path.includes('{')) continue
      for (const id of ids) {
        const { status, body } = await second(method.toUpperCase(), path.replace(/\{\w+\}/, id), bodyOf(method))
        // Ids are separate by company and kind; routes that only users may call reject keys.
        const expected = isForUsers(operation) ? [403] : [400, 404, 409]
        assert.oneOf(status, method === 'put' ? [200, ...expected] : expected, `${method} ${path}`)
        assert.notInclude(JSON.stringify(body), 'First', `${method} ${path}`)
      }
    }
    assert.deepEqual(await everything(first), own, 'responses to the first company after the requests of the second')
  })

  it('A request for a file of another company is answered 404', async () => {
    const { body } = await first('POST', '/reports/production', {
      ...reportRange,
      data: [{ metric: 'allTime' }],
      csv: true,
    })
    const { url } = readAs<{ readonly csv: { readonly url: string } }>(body).csv
    const statusWith = async (call: Call) => {
      const { body: token } = await call('GET', '/user-token')
      return (await fetch(`${url}?token=${String(token)}`)).status
    }
    assert.equal(await statusWith(first), 200)
    assert.equal(await statusWith(second), 404)
  })

  it('A filter with ids of another company finds nothing', async () => {
    const machines = readAs<readonly { readonly id: string }[]>((await first('GET', '/machines')).body)
    const request = { ...reportRange, data: [{ metric: 'allTime' }], groupBy: [{ group: 'machine' }] }
    const filter = { machine: machines.map(({ id }) => id) }
    const { body } = await second('POST', '/reports/production', { ...request, filter })
    assert.deepInclude(readAs<object>(body), { aggregate: { allTime: 0 }, items: [] })
  })
})

/** Id of a job operation that both companies have. */
const operationId = randomUUID()
const reportRange = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }

/**
 * Returns everything that a company can read: each GET, and each report with every grouping and value. The content of
 * files is included, but not their addresses.
 */
async function everything(call: Call): Promise<Readonly<Record<string, unknown>>> {
  const seen: Record<string, unknown> = {}
  for (const [path, operations] of Object.entries(openApiDocument().paths)) {
    if (publicPaths.has(path) || path.includes('{')) continue
    if (operations['get'] && !isForUsers(operations['get'])) seen[`GET ${path}`] = (await call('GET', path)).body
    if (path.startsWith('/reports/')) {
      for (const body of reportBodies(operations['post']))
        seen[`POST ${path} ${JSON.stringify(body)}`] = await reportWithFile(call, path, body)
    }
  }
  return seen
}

async function reportWithFile(call: Call, path: string, request: object): Promise<unknown> {
  const { status, body } = await call('POST', path, request)
  assert.equal(status, 200, `${path} ${JSON.stringify(body)}`)
  const { csv, ...report } = readAs<{ readonly csv?: { readonly url: string } }>(body)
  if (!csv) return report
  const { body: token } = await call('GET', '/user-token')
  const file = await fetch(`${csv.url}?token=${String(token)}&localize=true`)
  assert.equal(file.status, 200)
  return { report, file: await file.text() }
}

/** A body without grouping and one for each grouping, from the OpenAPI document. */
function reportBodies(operation: unknown): object[] {
  const properties = at(operation, 'requestBody', 'content', 'application/json', 'schema', 'properties')
  if (at(properties, 'jobOperation') !== undefined) return [{ ...reportRange, jobOperation: operationId }]
  const metrics = namesOf(at(properties, 'data', 'items'), 'metric')
  const groups = namesOf(at(properties, 'groupBy', 'items'), 'group')
  assert.isTrue(groups.length > 0 || at(properties, 'startId') !== undefined, 'the OpenAPI document lists groupings')
  const range = at(properties, 'startId') ? { start: reportRange.start } : reportRange
  const data = metrics.length > 0 ? { data: metrics.map(metric => ({ metric })) } : {}
  const base = { ...range, ...data, ...(at(properties, 'csv') ? { csv: true } : {}) }
  return [base, ...groups.map(group => Object.assign({ groupBy: [{ group }] }, base))]
}

/** Names that a list accepts, as strings or as `{[key]: name}`. */
function namesOf(items: unknown, key: string): readonly unknown[] {
  const forms = at(items, 'anyOf') ?? at(items, 'oneOf') ?? [items]
  const found = (Array.isArray(forms) ? forms : []).map((form: unknown) => at(form, 'properties', key, 'enum'))
  return found.find(names => Array.isArray(names)) ?? []
}

/** The value at the path in the document; references to schemas are followed. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((found, name) => schemaOf(property(found, name)), schemaOf(value))
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

/** The schema that a reference names; any other value unchanged. */
function schemaOf(value: unknown): unknown {
  const reference = property(value, '$ref')
  if (typeof reference !== 'string') return value
  return schemaOf(property(openApiDocument().components['schemas'], reference.slice(reference.lastIndexOf('/') + 1)))
}

/** Whether the operation is only for signed-in users; a key is rejected. */
function isForUsers(operation: unknown): boolean {
  return JSON.stringify(at(operation, 'security')) === '[{"session":[]}]'
}

/** A body that is accepted by routes that require only a name. */
function bodyOf(method: string): object | undefined {
  return method === 'get' || method === 'delete' ? undefined : { name: 'Stolen', machineIds: [] }
}

/** Creates the records of a company; all companies get the same, with `times` as many parts and stops. */
async function fillPlant(call: Call, name: string, times = 1): Promise<void> {
  await call('PUT', '/settings', { companyName: name, timeZone: 'Europe/Berlin' })
  const schedule = randomUUID()
  const shifts = [{ name: `${name} shift`, days: [1, 2, 3, 4, 5], start: '06:00', end: '14:00' }]
  await expectOk(call('PUT', `/schedules/${schedule}`, { name: `${name} schedule`, versions: [{ shifts }] }))
  await expectOk(call('PUT', `/job-operations/${operationId}`, { jobName: `${name} job` }))
  for (let i = 0; i < 2; i++) {
    const machineId = randomUUID()
    const erpMachineId = `M${i}`
    const machine = { name: `${name} machine ${i}`, scheduleId: schedule, commissionedAt: '2026-03-01T00:00:00Z' }
    await expectOk(call('PUT', `/machines/${machineId}`, { ...machine, erpMachineId }))
    const run = { erpJobOperationRunId: `R${i}`, erpMachineId, jobName: `${name} job`, startAt: reportRange.start }
    await expectOk(call('POST', '/erp/jobdispatch/start', run))
    await expectOk(call('POST', '/ingest/samples', samplesOf(machineId, `${name} alarm`, times)))
  }
}

function samplesOf(machineId: string, message: string, times: number): readonly object[] {
  const at = (minute: number) => new Date(Date.parse(reportRange.start) + minute * 60_000).toISOString()
  const event = (minute: number, type: string, value: string | number, more: object = {}) => ({
    machineId,
    timestamp: at(minute),
    key: type.toLowerCase(),
    type,
    value,
    ...more,
  })
  return Array.from({ length: 5 * times }, (_, i) => [
    event(i * 30, 'EXECUTION', 'ACTIVE'),
    event(i * 30 + 10, 'PART_COUNT', i),
    event(i * 30 + 12, 'SYSTEM', 'FAULT', { nativeCode: 'E1', message }),
    event(i * 30 + 14, 'SYSTEM', 'NORMAL'),
    event(i * 30 + 20, 'EXECUTION', 'READY'),
  ]).flat()
}

async function expectOk(answer: Promise<{ readonly status: number; readonly body: unknown }>): Promise<void> {
  const { status, body } = await answer
  assert.oneOf(status, [200, 202], JSON.stringify(body))
}
