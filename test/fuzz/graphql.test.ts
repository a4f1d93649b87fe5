import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { sharedSchema } from '../../api/graphql/schema/schema.ts'
import { Random } from '../../demo/simulate/random.ts'
import { startChild, type ChildService } from '../support/child-service.ts'
import { GraphqlSocket } from '../support/graphql-socket.ts'
import { heldMs, holdMeterEnv } from '../support/hold-meter.ts'
import { testKey } from '../support/service.ts'
import { graphqlRequestMaker, type GraphqlRequest, type Known } from './graphql-documents.ts'

/** `npm run test:fuzz` sends 5,000. */
const requests = Number(process.env['TAKT_FUZZ_DOCUMENTS'] ?? 150)
const seed = Number(process.env['TAKT_FUZZ_SEED'] ?? Date.now() % 1_000_000)
/** Number of concurrent requests. */
const width = 6
/** The slowest takes 11 s beside two programs that use all of the CPU. */
const withinMs = 60_000
const responseBytes = 67_108_864
const maxRows = 100_000
/** All responses in progress may use 256 MiB, in addition to garbage and results of the store. */
const maxGrowthMb = 1_000
/** As in `fuzz.test.ts`. */
const longestHoldMs = 250

const codes: ReadonlySet<string> = new Set([
  'bad-request',
  'validation-failed',
  'depth-limit-exceeded',
  'node-limit-exceeded',
  'row-limit-exceeded',
  'rate-limit-exceeded',
  'time-limit-exceeded',
  'start-failed',
])

interface Result {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

describe(`GraphQL with random documents (TAKT_FUZZ_SEED=${seed})`, function () {
  this.timeout(300_000 + requests * 500)
  const folder = mkdtempSync(join(tmpdir(), 'takt-fuzz-graphql-'))
  const holds = join(folder, 'holds')
  const random = new Random(seed)
  const outcomes = new Map<string, number>()
  let service: ChildService
  let next: () => GraphqlRequest

  before(async () => {
    service = await startChild({ ...holdMeterEnv(holds), TAKT_DATA_DIR: folder, TAKT_GRAPHQL_RATE_LIMIT: '0' })
    next = graphqlRequestMaker(sharedSchema(), random, await makePlant(service))
  })
  after(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it(`${requests} random GraphQL requests receive responses within the limits, over every transport`, async () => {
    const startUs = nowUs()
    const startMb = memoryMb(service.pid)
    const sockets = await Promise.all(
      (['graphql-transport-ws', 'graphql-ws'] as const).map(protocol =>
        GraphqlSocket.join(service.url, testKey, { protocol }),
      ),
    )
    let left = requests
    let maxMb = 0
    const work = async () => {
      while (left-- > 0) {
        const request = next()
        const startedMs = performance.now()
        const what = `${JSON.stringify(request.variables)} ${request.query}`.slice(0, 3_000)
        try {
          const results = await send(service.url, request, next, sockets, random)
          for (const result of results) check(result)
        } catch (error) {
          throw new Error(what, { cause: error })
        }
        expect(performance.now() - startedMs, what).to.be.below(withinMs)
        maxMb = Math.max(maxMb, memoryMb(service.pid))
      }
    }
    await Promise.all(Array.from({ length: width }, work))
    for (const socket of sockets) socket.close()
    await sleep(300)
    const holdMs = heldMs(holds, startUs, nowUs())
    const counts = [...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', ')
    process.stdout.write(`      ${counts}; longest hold ${holdMs.toFixed(0)} ms; memory ${startMb} to ${maxMb} MB\n`)
    expect(service.said(), 'the log of errors').to.equal('')
    expect(outcomes.get('data'), 'requests with data').to.be.above(requests / 10)
    expect(holdMs, 'the longest hold of the event loop').to.be.below(longestHoldMs)
    expect(maxMb - startMb, 'growth of memory, MB').to.be.below(maxGrowthMb)
  })

  function check(result: Result | null): void {
    if (result === null) return note('disconnected')
    for (const { message, extensions } of result.errors ?? []) {
      expect(codes.has(extensions?.code ?? ''), `${extensions?.code} ${message}`).to.equal(true)
      note(extensions?.code ?? '')
    }
    if (result.errors) return
    expect(result.data).to.be.an('object')
    expect(rowsIn(result.data)).to.be.at.most(maxRows + Object.keys(result.data ?? {}).length)
    note('data')
  }
  function note(outcome: string): void {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
})

/** Sends a request by a random transport; returns the results, or null if the client disconnected. */
async function send(
  url: string,
  request: GraphqlRequest,
  next: () => GraphqlRequest,
  sockets: readonly GraphqlSocket[],
  random: Random,
): Promise<readonly (Result | null)[]> {
  const way = random.integer(0, 10)
  if (way < 2) return [await overSocket(sockets[way], request)]
  if (way === 2) {
    const { query, variables } = request
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()
    if (search.length < 10_000) return [await overHttp(`${url}/graphql?${search}`, { method: 'GET' })].flat()
  }
  const isArray = way === 3
  const body = isArray ? [request, ...Array.from({ length: random.integer(0, 5) }, next)] : request
  const signal = way === 4 ? AbortSignal.timeout(random.integer(1, 300)) : null
  return [await overHttp(`${url}/graphql`, { method: 'POST', body: JSON.stringify(body), signal })].flat()
}

async function overHttp(url: string, init: RequestInit): Promise<Result | readonly Result[] | null> {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  try {
    const response = await fetch(url, { ...init, headers })
    const text = await response.text()
    expect(response.status, text.slice(0, 500)).to.be.oneOf([200, 400, 429])
    expect(Buffer.byteLength(text)).to.be.at.most(responseBytes + 10_000)
    const results: Result | readonly Result[] = JSON.parse(text)
    return results
  } catch (error) {
    if (init.signal?.aborted) return null
    throw error
  }
}

let lastId = 0

async function overSocket(socket: GraphqlSocket | undefined, { query, variables, operationName }: GraphqlRequest) {
  if (!socket) throw new Error('There are two sockets')
  const id = `${++lastId}`
  const isOld = socket.webSocket.protocol === 'graphql-ws'
  const payload = { query, variables, ...(operationName !== undefined && { operationName }) }
  socket.send({ type: isOld ? 'start' : 'subscribe', id, payload })
  await socket.until(() => socket.messages.some(message => message.id === id), 60_000)
  const [code] = socket.codes(id)
  if (code !== undefined) return { errors: [{ message: '', extensions: { code } }] }
  socket.send({ type: isOld ? 'stop' : 'complete', id })
  const result: Result = socket.messages.find(message => message.id === id)?.payload ?? {}
  socket.messages.splice(0, socket.messages.length, ...socket.messages.filter(message => message.id !== id))
  return result
}

function rowsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value).reduce<number>((sum, each) => sum + rowsIn(each), 0)
  return Array.isArray(value) ? inner + value.length : inner
}

/** A plant whose relations have many rows on both sides: machines that share a schedule and a group, one of them with 1,000 alarms. */
async function makePlant(service: ChildService): Promise<Known> {
  const { call } = service
  const put = async (path: string, body: object) => {
    const answer = await call('PUT', path, body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of the service
    return answer.body as { readonly machineRef?: number }
  }
  const [scheduleId, groupId, ...ids] = Array.from({ length: 26 }, () => randomUUID())
  const shift = (name: string, start: string, end: string) => ({ name, start, end, days: [1, 2, 3, 4, 5] })
  const shifts = [shift('Early', '06:00', '14:00'), shift('Late', '14:00', '22:00')]
  await put(`/schedules/${scheduleId}`, { name: 'Days', versions: [{ effectiveFrom: null, shifts }], exceptions: [] })
  let machineRef = 0
  for (const [i, id] of ids.entries()) {
    const answer = await put(`/machines/${id}`, { name: `Mill ${i}`, scheduleId })
    if (i === 0) machineRef = answer.machineRef ?? 0
  }
  await put(`/machine-groups/${groupId}`, { name: 'All', machineIds: ids })
  await put(`/operators/${ids[0]}`, { name: 'Ada' })
  const timestamp = new Date(Date.now() - 60_000).toISOString()
  const alarm = (i: number) => ({ key: 'system', type: 'SYSTEM', value: 'FAULT', nativeCode: `A${i}` })
  const alarms = Array.from({ length: 1000 }, (_, i) => ({ ...alarm(i), timestamp, message: `Alarm number ${i}` }))
  const keys = Array.from({ length: 50 }, (_, i) => ({ timestamp, key: `k${i}`, type: 'LOAD', value: i }))
  for (const [i, machineId] of ids.entries()) {
    const samples = [
      ...(i === 0 ? alarms : []),
      ...keys,
      { timestamp, key: 'execution', type: 'EXECUTION', value: 'ACTIVE' },
    ]
    const { status } = await call('POST', '/ingest/samples', { machineId, samples })
    expect(status).to.equal(202)
  }
  await service.settled()
  return { machineRef, ids }
}

/** Memory of a process, MB. */
function memoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
