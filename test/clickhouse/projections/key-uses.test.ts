import { expect } from 'chai'
import { createKeyUses } from '../../../api/auth/key-uses.ts'
import { readKeyUses, writeKeyUses } from '../../../clickhouse/projections/key-uses.ts'
import { useFreshDatabase } from '../../support/database.ts'

describe('key usage', () => {
  const store = useFreshDatabase()

  it('The latest use of a key is read, in any order of writes', async () => {
    await writeKeyUses(
      store(),
      new Map([
        ['a', 2000],
        ['b', 1500],
      ]),
    )
    await writeKeyUses(store(), new Map([['a', 1000]]))
    expect(await readKeyUses(store(), ['a', 'b', 'never'])).to.deep.equal(
      new Map([
        ['a', 2000],
        ['b', 1500],
      ]),
    )
  })

  it('Key uses are written in one insert, visible before it, and retried while the store is unavailable', async () => {
    let nowMs = 10_000
    let isAway = true
    const failures: unknown[] = []
    const writes: number[] = []
    const uses = createKeyUses({
      write: async usedAtMs => {
        if (isAway) throw new Error('away')
        writes.push(usedAtMs.size)
        await writeKeyUses(store(), usedAtMs)
      },
      read: ids => readKeyUses(store(), ids),
      clock: () => nowMs,
      onFailure: error => failures.push(error),
      everyMs: 20,
    })
    for (const id of ['x', 'y', 'x']) uses.note(id)
    nowMs = 20_000
    uses.note('x')
    expect(await uses.lastUsed(['x', 'y', 'z'])).to.deep.equal(
      new Map([
        ['x', 20_000],
        ['y', 10_000],
      ]),
    )
    while (failures.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    nowMs = 30_000
    uses.note('x')
    isAway = false
    await uses.stop()
    expect(writes).to.deep.equal([2])
    expect(await readKeyUses(store(), ['x', 'y'])).to.deep.equal(
      new Map([
        ['x', 30_000],
        ['y', 10_000],
      ]),
    )
  })
})
