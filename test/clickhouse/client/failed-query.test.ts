import { assert } from 'chai'
import { sql, uint32 } from '../../../clickhouse/sql/sql.ts'
import { StoreError } from '../../../clickhouse/client/store.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef, type CompanyRef } from '../../../schema/refs.ts'

/** More than the number of clients for reports. */
const times = 8

for (const kind of storeKinds) {
  describe(`failed query on ${kind}`, () => {
    const database = useFreshDatabase(kind)
    const ofCompany = (companyRef: CompanyRef) =>
      sql`SELECT machine FROM superseded_copies WHERE company = ${uint32(companyRef)} ORDER BY machine`

    before(async () => {
      const rows = Array.from({ length: 100 }, (_, machineRef) => `[1,${machineRef},1,1,1]`)
      const columns = ['company', 'machine', 'instance_id', 'sequence', 'at_us']
      await database().insert('superseded_copies', columns, [...rows, '[2,7,1,1,1]'].join('\n'))
    })

    for (const limit of ['max_result_rows', 'max_rows_to_read'] as const) {
      it(`A query stopped by ${limit} leaks no rows into the next query`, async () => {
        const settings = { readonly: 2, max_block_size: 10, [limit]: 50 }
        for (let i = 0; i < times; i++) {
          const failure: unknown = await database()
            .query(ofCompany(asCompanyRef(1)), { settings })
            .catch((error: unknown) => error)
          assert.instanceOf(failure, StoreError)
        }
        for (let i = 0; i < times; i++) {
          assert.deepEqual(await database().query(ofCompany(asCompanyRef(2))), [{ machine: 7 }])
          assert.deepEqual(await database().columns(ofCompany(asCompanyRef(2))), [[7]])
        }
      })
    }

    it('A stream stopped by a limit leaks no rows into the next query', async () => {
      for (let i = 0; i < times; i++) {
        const settings = { max_block_size: 10, max_result_rows: 50 }
        const read = async () => {
          for await (const _ of database().stream(ofCompany(asCompanyRef(1)), 'CSV', { settings })) void _
        }
        await read().catch((error: unknown) => assert.instanceOf(error, StoreError))
      }
      for (let i = 0; i < times; i++)
        assert.deepEqual(await database().query(ofCompany(asCompanyRef(2))), [{ machine: 7 }])
    })

    it('A stream that its reader abandons leaks no rows into the next query', async () => {
      for (let i = 0; i < times; i++) {
        for await (const _ of database().stream(ofCompany(asCompanyRef(1)), 'CSV', { settings: { max_block_size: 1 } }))
          break
        assert.deepEqual(await database().query(ofCompany(asCompanyRef(2))), [{ machine: 7 }])
      }
    })
  })
}
