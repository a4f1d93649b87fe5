import { assert } from 'chai'
import { toPublicError } from '../../../../api/graphql/http/errors.ts'
import { mapQueryLimitErrors } from '../../../../api/reports/query/query.ts'
import { type QuerySettings, StoreError } from '../../../../clickhouse/client/store.ts'
import { type Sql, sql } from '../../../../clickhouse/sql/sql.ts'
import { ApiError } from '../../../../schema/errors.ts'
import { storeKinds, useFreshDatabase } from '../../../support/database.ts'

for (const kind of storeKinds)
  describe(`limits of the queries of a report on ${kind}`, () => {
    const store = useFreshDatabase(kind)
    const failureOf = (query: Sql, settings: QuerySettings = {}) =>
      mapQueryLimitErrors(store().query(query, { settings })).then(
        () => assert.fail('The query was not rejected'),
        (error: unknown) => error,
      )

    for (const [limit, query, settings, code] of [
      [
        'time',
        sql`SELECT sum(sleepEachRow(0.5)) FROM numbers(20)`,
        { max_execution_time: 1, max_block_size: 1 },
        'time-limit-exceeded',
      ],
      [
        'memory',
        sql`SELECT length(groupArray(number)) FROM numbers(100000000)`,
        { max_memory_usage: 50_000_000 },
        'row-limit-exceeded',
      ],
    ] as const)
      it(`A query that reaches its limit of ${limit} is a 400 that names the limit and the remedy`, async () => {
        const failure = await failureOf(query, settings)
        assert.instanceOf(failure, ApiError)
        const message = `The query reached its limit of ${limit}: ask for a shorter range or fewer machines`
        assert.deepInclude(failure, { status: 400, errors: [{ field: 'start', code: 'OutOfRange', message }] })
        assert.equal(toPublicError(failure).code, code)
      })

    it('Another error of the store stays', async () => {
      const failure = await failureOf(sql`SELECT throwIf(1)`)
      assert.instanceOf(failure, StoreError)
    })
  })
