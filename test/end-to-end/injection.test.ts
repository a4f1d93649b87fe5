import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as fc from 'fast-check'
import { openApiDocument } from '../../api/create-api.ts'
import { readAs } from '../support/read-as.ts'
import { startService, type TestService } from '../support/service.ts'

type Path = readonly (string | number)[]

const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }
const noId = ['00000000-0000-4000-8000-000000000000']

/** A request of each report with a string in every property that accepts one. */
const requests: Readonly<Record<string, object>> = {
  '/reports/production': {
    ...range,
    data: [{ metric: 'totalParts' }, { metric: 'oee' }],
    groupBy: [{ group: 'machine' }, { group: 'day' }],
    filter: { machine: noId, machineGroup: noId, jobOperation: noId, shift: noId, operator: noId },
    format: 'csv',
  },
  '/reports/production/explanation': {
    ...range,
    data: [{ metric: 'totalParts' }, { metric: 'oee' }],
    filter: { machine: noId, machineGroup: noId, jobOperation: noId, shift: noId, operator: noId },
  },
  '/reports/downtime': {
    ...range,
    groupBy: [{ group: 'machine' }, { group: 'reason' }],
    filter: { machine: noId, machineGroup: noId, jobOperation: noId, shift: noId, reason: noId },
  },
  '/reports/quality': {
    ...range,
    groupBy: [{ group: 'machine' }, { group: 'reason' }],
    filter: { machine: noId, machineGroup: noId, jobOperation: noId, shift: noId, reason: noId },
  },
  '/reports/alarm': {
    ...range,
    data: [{ metric: 'durationMs' }],
    groupBy: [{ group: 'nativeCode' }],
    filter: { machine: noId, machineGroup: noId, nativeCode: noId, nativeCodeId: noId },
    reject: { machine: noId, machineGroup: noId, nativeCode: noId, nativeCodeId: noId },
  },
  '/reports/alarm/instances': {
    start: range.start,
    direction: 'ASC',
    filter: { machine: noId, machineGroup: noId, nativeCode: noId, nativeCodeId: noId },
    reject: { machine: noId, machineGroup: noId, nativeCode: noId, nativeCodeId: noId },
  },
  '/reports/cycle-times': {
    ...range,
    jobOperation: noId[0],
    filter: { machine: noId, machineGroup: noId, shift: noId, operator: noId },
  },
}

const hostile = fc.oneof(
  fc.constantFrom(
    `' OR 1=1 --`,
    `') OR company > 0 OR ('`,
    `x'; DROP TABLE hours; --`,
    `\\'; SELECT * FROM records; --`,
    `1) UNION ALL SELECT json FROM records --`,
    `{p0:UInt32}`,
    `{p0:Identifier}`,
    `\${company}`,
    '`hours`',
    '"',
    '\\',
    '\0',
    '\u2028',
    '%27%20OR%201=1',
    '__proto__',
    'constructor',
    'toString',
    '/*',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

describe('strings in report requests', function () {
  let service: TestService
  const machineId = randomUUID()
  const name = `'; DROP TABLE hours; -- \\' {p0:UInt32} "quoted" =1+1`

  before(async () => {
    service = await startService({ nowMs: Date.parse('2026-03-03T12:00:00.000Z') })
    await service.call('PUT', `/machines/${machineId}`, { name, commissionedAt: '2026-03-01T00:00:00Z' })
    await service.call('POST', '/ingest/samples', [
      { machineId, timestamp: '2026-03-02T01:00:00Z', key: 'execution', type: 'EXECUTION', value: 'ACTIVE' },
      { machineId, timestamp: '2026-03-02T02:00:00Z', key: 'execution', type: 'EXECUTION', value: 'READY' },
    ])
    await service.settled()
  })
  after(() => service.stop())

  const truth = async () => {
    const request = { ...range, data: [{ metric: 'timeInCycle' }], groupBy: [{ group: 'machine' }] }
    return service.call('POST', '/reports/production', request)
  }

  for (const [path, request] of Object.entries(requests)) {
    it(`Strings in a request stay values: ${path}`, async function () {
      if (!openApiDocument().paths[path]) this.skip()
      const places = textsIn(request)
      const harmless = await service.call('POST', path, request)
      assert.equal(harmless.status, 200)
      const before = await truth()
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places), hostile, async (place, text) => {
          const { status, body } = await service.call('POST', path, replaced(request, place, text))
          if (status === 200)
            assert.deepEqual(shape(body), shape(harmless.body), 'an unknown id has the same result as a harmless text')
          else {
            assert.equal(status, 400, JSON.stringify(body))
            assert.nestedPropertyVal(body, 'code', 'ValidationError')
          }
        }),
        { numRuns: 60, endOnFailure: true },
      )
      assert.deepEqual(await truth(), before)
    })
  }

  it('A name with special characters is returned unchanged', async () => {
    const { body } = await truth()
    assert.nestedPropertyVal(body, `entities.machine.${machineId}.name`, name)
    assert.nestedPropertyVal(body, 'aggregate.timeInCycle', 3_600_000)
  })
})

/** Returns the result without the range and the entities, which depend on the request. */
function shape(body: unknown): unknown {
  const { range: _, ...rest } = readAs<{ readonly range: unknown }>(body)
  return rest
}

/** Returns the paths of all strings in the request. */
function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path]
  if (Array.isArray(value)) return value.flatMap((item: unknown, i) => textsIn(item, [...path, i]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key]))
}

function replaced(value: unknown, [step, ...rest]: Path, text: string): unknown {
  if (step === undefined) return text
  if (Array.isArray(value)) return value.map((item: unknown, i) => (i === step ? replaced(item, rest, text) : item))
  const entries = Object.entries(readAs<Readonly<Record<string, unknown>>>(value))
  return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? replaced(item, rest, text) : item]))
}
