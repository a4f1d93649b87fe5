import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'
import { type ChildService, startChild } from '../../../support/child-service.ts'
import { hourMs } from '../../../../shared/time/units.ts'
import { heldMs, holdMeterEnv } from '../../../support/hold-meter.ts'
import { testKey } from '../../../support/service.ts'

/**
 * Limit of CPU time of the main thread in one iteration of the event loop: ten times the limit of the product, because
 * the computer may be slow.
 */
const maxHoldMs = 500
/** Time until the blocked times are written: see `hold-meter.mjs`. */
const writtenAfterMs = 200

interface Attack {
  readonly query: string
  readonly variables?: object
  /** Code of the expected error; null: the request succeeds. */
  readonly code: string | null
}

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ')
const where = (exp: object, code: string | null): Attack => ({
  query: 'query ($where: MachineTP_bool_exp!) { machines(where: $where) { name } }',
  variables: { where: exp },
  code,
})
/** A chain of `count` fragments, each of which includes the next one. */
const chain = (count: number) =>
  `{ ...F1 } ${times(count - 1, i => `fragment F${i + 1} on Query { ...F${i + 2} }`)} fragment F${count} on Query { __typename }`
const introspected = '__schema { types { name kind fields { name args { name } type { name } } inputFields { name } } }'
const aliased = 'query ($ids: [uuid!]!) { '
const ids = Array.from({ length: 90_000 }, () => randomUUID())

const attacks: Readonly<Record<string, Attack>> = {
  'the introspection of the schema 50 times': {
    query: `{ ${times(50, i => `a${i}: ${introspected}`)} }`,
    code: 'node-limit-exceeded',
  },
  'six hundred aliases for each field of the schema': {
    query: `{ __schema { types { fields { ${times(600, i => `n${i}: name`)} } } } }`,
    code: 'node-limit-exceeded',
  },
  'the introspection of the schema by a fragment that is spread 200 times': {
    query: `{ ${times(200, i => `a${i}: __schema { ...S }`)} } fragment S on __Schema { types { name fields { name } } }`,
    code: 'node-limit-exceeded',
  },
  'the introspection query of tools': { query: getIntrospectionQuery(), code: null },
  'one field 1,900 times': {
    query: `{ machines { ${'name '.repeat(1_900)} } }`,
    code: 'node-limit-exceeded',
  },
  'one field 1,900 times, repeated': {
    query: `{ machines { ${'name '.repeat(1_900)} } }`,
    code: 'node-limit-exceeded',
  },
  'a directive whose variable is null': {
    query: 'query ($is: Boolean = true) { machines @include(if: $is) { name } }',
    variables: { is: null },
    code: 'validation-failed',
  },
  'an argument whose variable is null': {
    query: 'query ($id: uuid = "00000000-0000-4000-8000-000000000000") { machines_by_pk(machineId: $id) { name } }',
    variables: { id: null },
    code: 'validation-failed',
  },
  'an introspection argument whose variable is null': {
    query: 'query ($name: String = "Query") { __type(name: $name) { name } }',
    variables: { name: null },
    code: 'validation-failed',
  },
  'a subscription whose root field depends on a variable': {
    query: 'subscription ($is: Boolean!) { machines @include(if: $is) { name } }',
    variables: { is: false },
    code: 'validation-failed',
  },
  'a subscription whose root fragment depends on a variable': {
    query: `subscription ($is: Boolean!) { ... { ...A } } fragment A on Subscription { ...A ...B @skip(if: $is) }
      fragment B on Subscription { machines { name } }`,
    variables: { is: true },
    code: 'validation-failed',
  },
  'one list 490 times': { query: `{ ${'machines { name } '.repeat(490)} }`, code: 'node-limit-exceeded' },
  'one list 30 times with one field 60 times': {
    query: `{ ${`machines { ${'name '.repeat(60)}} `.repeat(30)} }`,
    code: 'node-limit-exceeded',
  },
  'one field in 190 fragments': {
    query: `{ machines { ${times(190, i => `...F${i}`)} } } ${times(190, i => `fragment F${i} on MachineTP { name name }`)}`,
    code: 'node-limit-exceeded',
  },
  'an unused recursive fragment with one field 1,900 times': {
    query: `{ __typename } fragment F on MachineTP { ...F ${'name '.repeat(1_900)} }`,
    code: 'node-limit-exceeded',
  },
  'one field 310 times': { query: `{ machines { ${'name '.repeat(310)} } }`, code: null },
  'a chain of 100 fragments': { query: chain(100), code: null },
  'a chain of 101 fragments': { query: chain(101), code: 'node-limit-exceeded' },
  'a chain of 220 fragments': { query: chain(220), code: 'node-limit-exceeded' },
  'a chain of 220 fragments, repeated': { query: chain(220), code: 'node-limit-exceeded' },
  'fragments in a cycle': {
    query: `{ ...F0 } ${times(60, i => `fragment F${i} on Query { ${times(12, j => `...F${(i + j) % 60}`)} }`)}`,
    code: 'validation-failed',
  },
  '380 operations': { query: times(380, i => `query Q${i} { __typename }`), code: 'validation-failed' },
  'more tokens than the limit': { query: `{ machines { ${'name '.repeat(40_000)} } }`, code: 'bad-request' },
  '900 nested fragments': {
    query: `{ ${'... { '.repeat(900)} __typename ${'}'.repeat(900)} }`,
    code: 'validation-failed',
  },
  '900 nested lists': {
    query: `{ machines(where: { _and: ${'['.repeat(900)}${']'.repeat(900)} }) { name } }`,
    code: 'validation-failed',
  },
  'a deeply nested filter in the document': {
    query: `{ machines(where: ${'{ _and: '.repeat(480)}{}${' }'.repeat(480)}) { name } }`,
    code: 'depth-limit-exceeded',
  },
  'a filter of 60,000 conditions': where(
    { _or: Array.from({ length: 60_000 }, () => ({ name: { _eq: 'a' } })) },
    'node-limit-exceeded',
  ),
  'a filter of 490 conditions': where({ _or: Array.from({ length: 490 }, () => ({ name: { _eq: 'a' } })) }, null),
  'a filter of nested relations': where(
    { annotations: { machine: { annotations: { machine: { annotations: { machine: { name: { _eq: 'a' } } } } } } } },
    null,
  ),
  '90,000 ids in 50 lists': {
    query: `${aliased}${times(50, i => `m${i}: machines(where: { machineId: { _in: $ids } }) { name }`)} }`,
    variables: { ids },
    code: 'node-limit-exceeded',
  },
  '90,000 ids': where({ machineId: { _in: ids } }, 'node-limit-exceeded'),
  'a thousand ids': where({ machineId: { _in: ids.slice(0, 1000) } }, null),
  'a long pattern': where({ name: { _ilike: '%a_'.repeat(40_000) } }, 'validation-failed'),
  'a pattern of 400 wildcards': where({ name: { _like: '%a'.repeat(400) } }, null),
  'a pattern that ends in its escape': where({ name: { _like: 'a\\' } }, 'validation-failed'),
  'invalid characters': where({ name: { _like: '\u0000%\ud800' } }, null),
  '60,000 columns to sort by': {
    query: 'query ($by: [MachineTP_order_by!]) { machines(order_by: $by) { name } }',
    variables: { by: Array.from({ length: 60_000 }, () => ({ name: 'asc' })) },
    code: 'node-limit-exceeded',
  },
  'the last page': { query: '{ machines(limit: 2147483647, offset: 2147483647) { name } }', code: null },
  'a negative limit': { query: '{ machines(limit: -1) { name } }', code: 'validation-failed' },
  'a year out of range': where({ createdAt: { _gt: '+275760-09-13T00:00:00Z' } }, 'validation-failed'),
}

describe('hostile GraphQL requests', function () {
  const folder = mkdtempSync(join(tmpdir(), 'takt-hostile-'))
  const holds = join(folder, 'holds')
  let service: ChildService
  /** A recent time: the store retains raw values for a few months only. */
  const startMs = Date.now() - 8 * hourMs
  let machineRef: unknown
  before(async () => {
    service = await startChild(holdMeterEnv(holds))
    const machineId = randomUUID()
    const { body } = await service.call('PUT', `/machines/${machineId}`, { name: 'Mill' })
    machineRef = isRecord(body) ? body['machineRef'] : null
    const samples = Array.from({ length: 20_000 }, (_, at) => ({
      timestamp: new Date(startMs + at * 1000).toISOString(),
      key: 'load',
      type: 'LOAD',
      value: at,
    }))
    expect((await service.call('POST', '/ingest/samples', { machineId, samples })).status).to.equal(202)
    await service.settled()
  })

  it('A query for 20,000 values succeeds without blocking the event loop', async () => {
    const [from, to] = [startMs, startMs + 8 * hourMs].map(ms => new Date(ms).toISOString())
    const args = `{ machineRef: ${String(machineRef)}, metricKey: "load", windowStartAt: "${from}", windowEndAt: "${to}" }`
    const startUs = nowUs()
    const body = JSON.stringify({ query: `{ quantities(args: ${args}) { at value again: value } }` })
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })
    const text = await response.text()
    const { data }: { readonly data?: { readonly quantities: readonly { readonly value: number }[] } } =
      JSON.parse(text)
    expect(
      data?.quantities.map(({ value }) => value),
      text.slice(0, 500),
    ).to.deep.equal(Array.from({ length: 20_000 }, (_, at) => at))
    await sleep(writtenAfterMs)
    expect(heldMs(holds, startUs, nowUs()), 'CPU time of one iteration of the event loop, ms').to.be.below(maxHoldMs)
  })
  after(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const [name, { query, variables, code }] of Object.entries(attacks))
    it(`A request with ${name} ${code === null ? 'succeeds' : `fails with ${code}`} without blocking the event loop`, async () => {
      const startUs = nowUs()
      const body = JSON.stringify({ query, variables })
      const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
      const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })
      const text = await response.text()
      await sleep(writtenAfterMs)
      const held = heldMs(holds, startUs, nowUs())
      if (process.env['TAKT_TEST_LOG']) process.stdout.write(`      ${held.toFixed(0)} ms ${text.slice(0, 200)}\n`)
      expect(codeIn(text), text.slice(0, 500)).to.equal(code)
      expect(held, 'CPU time of one iteration of the event loop, ms').to.be.below(maxHoldMs)
    })
})

/** The code of the first error of a response; null: no error. */
function codeIn(text: string): string | null {
  const { errors }: { readonly errors?: readonly { readonly extensions: { readonly code: string } }[] } =
    JSON.parse(text)
  return errors?.[0]?.extensions.code ?? null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
