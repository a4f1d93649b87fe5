import { expect } from 'chai'
import { NotDurable, requireDurable } from '../../../clickhouse/client/durability.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { freshDatabase, storeKinds, type TestDatabase } from '../../support/database.ts'

for (const kind of storeKinds)
  describe(`durability (${kind})`, () => {
    let database: TestDatabase
    beforeEach(async () => {
      database = await freshDatabase(kind)
    })
    afterEach(() => database.drop())

    const refusal = async () => {
      const thrown: unknown = await requireDurable(database.store).catch((error: unknown) => error)
      expect(thrown).to.be.instanceOf(NotDurable)
      return thrown instanceof NotDurable ? thrown.message : ''
    }

    it('Every migrated table passes the durability check', async () => {
      await requireDurable(database.store)
    })

    it('A changed durability setting is rejected with its table, value and minimum', async () => {
      await database.store.command(sql`ALTER TABLE hours MODIFY SETTING old_parts_lifetime = 0`)
      await database.store.command(sql`ALTER TABLE samples MODIFY SETTING fsync_after_insert = 0`)
      const message = await refusal()
      expect(message).to.include('table hours: old_parts_lifetime is 0 and must be at least 120')
      expect(message).to.include('table samples: fsync_after_insert is 0 and must be at least 1')
      expect(message.split('\n')).to.have.length(3)
    })

    it('The durability check covers tables that the code does not define', async () => {
      await database.store.command(sql`CREATE TABLE new_facts (a UInt8) ENGINE = MergeTree ORDER BY a`)
      const message = await refusal()
      for (const setting of ['fsync_after_insert', 'fsync_part_directory'])
        expect(message).to.include(`table new_facts: ${setting} is 0`)
      await database.store.command(
        sql`ALTER TABLE new_facts MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120`,
      )
      await requireDurable(database.store)
    })
  })
