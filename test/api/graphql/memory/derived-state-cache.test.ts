import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { DerivedStateCache } from '../../../../api/graphql/memory/derived-state-cache.ts'
import { asMachineRef, type MachineRef } from '../../../../schema/refs.ts'

const machines = [1, 2, 3].map(asMachineRef)

describe('cached derived states of GraphQL', function () {
  /** Derived states of three machines, the machines of each read, and the machines of each published change. */
  function make({ evictedAfterMs = 60_000, isFollowed = true } = {}) {
    const values = new Map(machines.map(machineRef => [machineRef, 'STOPPED']))
    const reads: (readonly MachineRef[] | null)[] = []
    const told: MachineRef[] = []
    const failing = new Set<Error>()
    const made = new DerivedStateCache({
      read: async (_companyId, asked) => {
        reads.push(asked)
        for (const error of failing) throw error
        const row = (machineRef: MachineRef) => ({
          machineRef,
          metricKey: 'MasterExecution',
          type: 'EXECUTION',
          subtype: '',
          value: values.get(machineRef) ?? '',
        })
        return new Map((asked ?? machines).map(machineRef => [machineRef, [row(machineRef)]]))
      },
      onChanged: (_companyId, machineRef) => told.push(machineRef),
      isFollowed: () => isFollowed,
      evictedAfterMs,
    })
    return { values, reads, told, failing, made }
  }

  it('After new documents, derived states are read by one query, and only changed states are published', async () => {
    const { values, reads, told, made } = make()
    const [first, second] = machines.map(machineRef => machineRef)
    if (!first || !second) throw new Error('A machine is missing')
    expect(made.markChanged('a', first)).to.equal(false)
    await made.readRows('a')
    values.set(first, 'ACTIVE')
    expect([made.markChanged('a', first), made.markChanged('a', second)]).to.deep.equal([true, true])
    for (let times = 0; times < 6_000 && reads.length < 2; times++) await sleep(10)
    await sleep(10)
    expect(reads).to.deep.equal([null, [first, second]])
    expect(told).to.deep.equal([first])
    expect((await made.readRows('a'))?.get(first)?.[0]?.value).to.equal('ACTIVE')
    made.stop()
  })

  it('A followed state that changes only by the passage of time is published, even long after the last query', async () => {
    const { values, told, made } = make({ evictedAfterMs: 100 })
    const [first] = machines
    if (!first) throw new Error('A machine is missing')
    made.follow('a')
    await sleep(500)
    values.set(first, 'UNAVAILABLE')
    for (let times = 0; times < 6_000 && told.length === 0; times++) await sleep(10)
    expect(told).to.deep.equal([first])
    made.stop()
  })

  it('Derived states that are neither queried nor followed are dropped from the cache, and stale ones are published', async () => {
    const { told, made } = make({ evictedAfterMs: 0, isFollowed: false })
    const [first] = machines
    if (!first) throw new Error('A machine is missing')
    await made.readRows('a')
    expect(made.markChanged('a', first)).to.equal(true)
    for (let times = 0; times < 6_000 && made.markChanged('a', first); times++) await sleep(10)
    expect(made.markChanged('a', first)).to.equal(false)
    expect(told[0]).to.equal(first)
    made.stop()
  })

  it('While derived states cannot be read, no cached state is returned and every machine counts as changed', async () => {
    const { told, failing, made } = make()
    const [first, second] = machines
    if (!first || !second) throw new Error('A machine is missing')
    await made.readRows('a')
    const error = new Error('away')
    failing.add(error)
    made.markChanged('a', first)
    for (let times = 0; times < 6_000 && told.length === 0; times++) await sleep(10)
    expect(told).to.deep.equal([first])
    expect(await made.readRows('a')).to.equal(null)
    expect(made.markChanged('a', second), 'the cache reports the change itself').to.equal(false)
    failing.delete(error)
    for (let times = 0; times < 6_000 && told.length === 1; times++) await sleep(10)
    expect(new Set(told)).to.deep.equal(new Set(machines))
    expect((await made.readRows('a'))?.size).to.equal(3)
    made.stop()
  })
})
