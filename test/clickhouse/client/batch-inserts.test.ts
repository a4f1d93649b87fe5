import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { batchInserts } from '../../../clickhouse/client/batch-inserts.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'

for (const kind of storeKinds) {
  describe(`batched inserts (${kind})`, () => {
    const store = useFreshDatabase(kind)
    let inserts = 0
    const counted: Pick<Store, 'insert'> = {
      insert: (...given) => {
        inserts++
        return store().insert(...given)
      },
    }

    beforeEach(async () => {
      await store().command(sql`DROP TABLE IF EXISTS gathered`)
      await store().command(sql`CREATE TABLE gathered (n UInt32) ENGINE = MergeTree ORDER BY n`)
      inserts = 0
    })

    const stored = async () => (await store().columns<[number[]]>(sql`SELECT n FROM gathered ORDER BY n`))[0]

    it('Inserts of the same moment are sent as one insert', async () => {
      const insert = batchInserts(counted)
      await Promise.all([1, 2, 3, 4].map(n => insert('gathered', ['n'], n % 2 === 0 ? `[${n}]` : `[${n}]\n`)))
      expect([await stored(), inserts]).to.deep.equal([[1, 2, 3, 4], 1])
      await insert('gathered', ['n'], '[5]')
      expect([await stored(), inserts]).to.deep.equal([[1, 2, 3, 4, 5], 2])
    })

    it('Inserts within the waiting time are sent as one insert', async () => {
      const insert = batchInserts(counted, () => 2_000)
      const all: Promise<void>[] = []
      for (const n of [1, 2, 3]) {
        all.push(insert('gathered', ['n'], `[${n}]`))
        await sleep(20)
      }
      await Promise.all(all)
      expect([await stored(), inserts]).to.deep.equal([[1, 2, 3], 1])
    })

    it('Rejected rows of a batched insert fail only the call that added them', async () => {
      const insert = batchInserts(counted)
      const all = [1, 2, 3].map(n => insert('gathered', ['n'], n === 2 ? '["no number"]' : `[${n}]`))
      const outcomes = await Promise.allSettled(all)
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
      expect(await stored()).to.deep.equal([1, 3])
    })
  })
}
