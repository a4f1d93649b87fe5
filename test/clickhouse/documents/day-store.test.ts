import { expect } from 'chai'
import type { Store } from '../../../clickhouse/client/store.ts'
import { createDayStore } from '../../../clickhouse/documents/day-store.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { useFreshDatabase } from '../../support/database.ts'

const companyRef = asCompanyRef(1)
const startMs = Date.UTC(2026, 0, 31)
const day = { startMs, endMs: startMs + 24 * hourMs, shopDate: '2026-01-31' }

describe('statements that build day documents', () => {
  const store = useFreshDatabase()
  let statements = 0
  const counted = (): Store => ({
    ...store(),
    command: async (...args) => {
      statements++
      await store().command(...args)
    },
  })
  const machines = (count: number, first = 1) => Array.from({ length: count }, (_, i) => asMachineRef(first + i))
  beforeEach(() => (statements = 0))

  it('A statement builds at most 250 machine-days of several partitions, and each call resolves to its duration', async () => {
    const days = createDayStore(counted())
    const startedMs = performance.now()
    const partitions = [machines(150), machines(100, 151), machines(200, 251)]
    const tookMs = await Promise.all(partitions.map(each => days.buildDays(companyRef, each, [day], 1n << 40n)))
    expect(statements).to.equal(2)
    const elapsedMs = performance.now() - startedMs
    for (const ms of tookMs) expect(ms).to.be.above(0).and.below(elapsedMs)
    expect(tookMs[0]).to.equal(tookMs[1])
    expect(tookMs[0]).to.not.equal(tookMs[2])
  })

  it('Without machines or days, nothing is built', async () => {
    const days = createDayStore(counted())
    expect(await days.buildDays(companyRef, [], [day], 1n)).to.equal(0)
    expect(await days.buildDays(companyRef, machines(1), [], 1n)).to.equal(0)
    expect(statements).to.equal(0)
  })
})
