import { expect } from 'chai'
import type { GraphQLFormattedError } from 'graphql'
import { buildSchema } from 'graphql'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultGraphqlLimits } from '../../../../api/ports/graphql-limits.ts'
import { EvaluationQueue } from '../../../../api/graphql/subscriptions/evaluation-queue.ts'
import { LiveQueries, type LiveQueriesOptions } from '../../../../api/graphql/subscriptions/live-queries.ts'
import type { OperationResult, RunOptions } from '../../../../api/graphql/subscriptions/operations.ts'
import { prepare } from '../../../../api/graphql/subscriptions/prepare.ts'

const schema = buildSchema('type Query { a: Int } type Subscription { a: Int }')
const prepared = prepare(schema, { query: 'subscription { a }', operationName: null }, defaultGraphqlLimits)
const unavailable: OperationResult = { errors: [{ message: 'away', extensions: { code: 'unavailable' } }] }
const late: OperationResult = { errors: [{ message: 'late', extensions: { code: 'time-limit-exceeded' } }] }

describe('GraphQL live queries', function () {
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  /** Starts one subscription whose evaluations return the results of `answer`. */
  function follow(
    answer: () => Promise<OperationResult>,
    options: Partial<Pick<LiveQueriesOptions, 'firstRetryMs' | 'cachedBytes' | 'onReads'>> = {},
  ) {
    const thrown: unknown[] = []
    const queue = new EvaluationQueue({ load: 1, onError: error => thrown.push(error) })
    const run = async (_prepared: unknown, _variables: unknown, { onReads }: RunOptions) => {
      onReads?.([{ source: 'values', machines: null, keys: null }])
      return answer()
    }
    const queries = new LiveQueries({
      operations: { run },
      queue,
      resultBytes: 1_000,
      cachedBytes: 10_000,
      isShared: () => false,
      ...options,
    })
    const results: string[] = []
    const errors: GraphQLFormattedError[] = []
    const subscribe = () =>
      queries.subscribe(
        { companyId: 'a', prepared, variables: {}, variablesText: '{}' },
        { next: ({ json }) => results.push(json.toString()), fail: failed => errors.push(...failed) },
      )
    ends.push(subscribe(), () => queue.stop())
    const changed = () => queries.changed({ companyId: 'a', source: 'values', machineRef: null, key: null })
    return { queries, queue, subscribe, results, errors, thrown, changed }
  }

  it('A table counts as read while a live query of it has a subscription', async () => {
    const areNew: boolean[] = []
    let evaluations = 0
    const { queries, results, changed } = follow(async () => ({ data: { a: evaluations++ } }), {
      onReads: (_companyId, _reads, isNew) => areNew.push(isNew),
    })
    for (let times = 0; times < 4_000 && results.length < 1; times++) await sleep(5)
    changed()
    for (let times = 0; times < 4_000 && results.length < 2; times++) await sleep(5)
    expect(areNew).to.deep.equal([true, false])
    expect([queries.isReadByAny('values'), queries.isReadByAny('samples')]).to.deep.equal([true, false])
    for (const end of ends.splice(0)) end()
    expect(queries.isReadByAny('values')).to.equal(false)
  })

  it('Changes during the pause after a failure do not start further evaluations of a live query', async () => {
    const firstRetryMs = 500
    const startedMs = performance.now()
    const { queries, changed } = follow(async () => unavailable, { firstRetryMs })
    for (let times = 0; times < 40; times++) {
      await sleep(20)
      changed()
    }
    // Pauses double: n of them take firstRetryMs * (2^n - 1). Timers may fire a millisecond early.
    const pauses = Math.floor(Math.log2((performance.now() - startedMs + 10) / firstRetryMs + 1))
    expect(queries.evaluations).to.be.within(2, 1 + pauses)
  })

  it('A live query is evaluated before waiting work if a new subscription waits for its first result', async () => {
    const begun: string[] = []
    const { queue, subscribe, results, changed } = follow(
      async () => {
        begun.push('query')
        return { data: { a: begun.length } }
      },
      { cachedBytes: 0 },
    )
    for (let times = 0; times < 4_000 && results.length === 0; times++) await sleep(5)
    const releases: (() => void)[] = []
    const held = () => new Promise<void>(resolve => releases.push(resolve))
    for (let i = 0; i < 2; i++) queue.add('a', held)
    for (const name of ['first', 'second']) queue.add('a', async () => begun.push(name))
    changed()
    ends.push(subscribe())
    for (const release of releases) release()
    for (let times = 0; times < 4_000 && begun.length < 4; times++) await sleep(5)
    expect(begun).to.deep.equal(['query', 'query', 'first', 'second'])
    expect(results).to.have.length(3)
  })

  it('Subscriptions that start during an evaluation of their live query share its result', async () => {
    const evaluations = { begun: 0 }
    let end = (): void => undefined
    const held = new Promise<void>(resolve => (end = resolve))
    const { subscribe, results } = follow(async () => {
      evaluations.begun++
      await held
      return { data: { a: 1 } }
    })
    while (evaluations.begun === 0) await sleep(5)
    ends.push(subscribe())
    end()
    for (let times = 0; times < 4_000 && results.length < 2; times++) await sleep(5)
    await sleep(100)
    expect([results.length, evaluations.begun]).to.deep.equal([2, 1])
  })

  it('A live query ends after several evaluations in a row exceed the time limit', async () => {
    let evaluations = 0
    const answers: Record<number, OperationResult> = { 1: { data: { a: 1 } }, 3: unavailable, 6: { data: { a: 2 } } }
    const followed = follow(async () => answers[++evaluations] ?? late, { firstRetryMs: 1 })
    for (let times = 0; times < 4_000 && followed.errors.length === 0; times++) {
      await sleep(10)
      followed.changed()
    }
    expect(followed.results).to.have.length(2)
    expect(followed.errors.map(({ extensions }) => extensions?.['code'])).to.deep.equal(['time-limit-exceeded'])
    expect(evaluations).to.equal(11)
  })

  it('A live query ends when an evaluation fails unexpectedly', async () => {
    const { queries, errors, thrown } = follow(async () => ({ data: { a: 1n } }))
    while (thrown.length === 0 || errors.length === 0 || queries.distinct > 0) await sleep(5)
    expect(errors.map(({ extensions }) => extensions?.['code'])).to.deep.equal(['unexpected'])
    expect(thrown).to.have.length(1)
    expect(queries.distinct).to.equal(0)
  })

  it('A live query ends when its result is too large, before all of the result is written', async () => {
    let written = 0
    const item = {
      toJSON: () => {
        written++
        return 'x'.repeat(100)
      },
    }
    const { errors } = follow(async () => ({ data: { a: Array.from({ length: 1_000 }, () => item) } }))
    while (errors.length === 0) await sleep(5)
    expect(errors.map(({ extensions }) => extensions?.['code'])).to.deep.equal(['row-limit-exceeded'])
    expect(written).to.be.at.most(20)
  })
})
