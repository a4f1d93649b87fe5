import { expect } from 'chai'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { createGraphqlServer } from '../../../../api/graphql/http/server.ts'
import { defaultGraphqlLimits } from '../../../../api/ports/graphql-limits.ts'
import { projectRecords } from '../../../support/project-records.ts'
import { setSampleRetention } from '../../../../clickhouse/samples/samples.ts'
import { Records } from '../../../../processors/records/records.ts'
import { defaultCompanySettings } from '../../../../schema/records/company.ts'
import { asCompanyRef } from '../../../../schema/refs.ts'
import { useFreshDatabase } from '../../../support/database.ts'
import { evaluate, type Query, queries, textOf } from '../naive.ts'
import { naivePlant } from '../naive-plant.ts'

const nowMs = Date.parse('2026-03-03T12:00:00.000Z')

describe('random GraphQL queries', function () {
  const store = useFreshDatabase()
  // Two companies with the same ids and names, so that rows differ only by their company.
  const plants = [naivePlant(1, nowMs), naivePlant(2, nowMs)]
  let ask: (company: number, query: Query) => Promise<unknown>

  before(async () => {
    // The data is recent, because ClickHouse deletes old samples by the real time, regardless of the test's clock.
    await setSampleRetention(store(), 20_000)
    for (const { entry, write } of plants) {
      await projectRecords(store(), [entry])
      await write(store())
    }
    const server = createGraphqlServer({
      reports: null,
      store: store(),
      records: new Records(),
      statuses: { get: () => null },
      recentValues: () => [],
      clock: () => nowMs,
      logger: pino({ level: 'silent' }),
      limits: defaultGraphqlLimits,
    })
    ask = async (number, query) => {
      const settings = { ...defaultCompanySettings, autoProduction: plants[number - 1]?.autoProduction ?? false }
      const company = { id: `company-${number}`, ref: asCompanyRef(number), settings }
      const contextValue = { company, signal: new AbortController().signal, isLate: () => false, hasStatuses: false }
      const { body } = await server.executeOperation({ query: textOf(query) }, { contextValue })
      if (body.kind !== 'single') throw new Error('The response is not a single result')
      if (body.singleResult.errors) throw new Error(JSON.stringify(body.singleResult.errors))
      return JSON.parse(JSON.stringify(body.singleResult.data))
    }
  })

  it('Random GraphQL queries return what a walk through the records finds, and no rows of another company', () =>
    fc.assert(
      fc.asyncProperty(queries, fc.constantFrom(0, 1), async (query, which) => {
        const plant = plants[which]
        if (!plant) throw new Error('The plant of the company is missing')
        const answer = await ask(which + 1, query)
        expect(answer, textOf(query)).to.deep.equal(evaluate(query, plant))
      }),
      { numRuns: Number(process.env['TAKT_FUZZ_GRAPHQL'] ?? 80) },
    ))
})
