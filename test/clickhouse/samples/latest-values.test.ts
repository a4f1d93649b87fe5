import { expect } from 'chai'
import { readLatestValues, type StoredValue } from '../../../clickhouse/samples/latest-values.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { createSampleWriter } from '../../../clickhouse/samples/samples.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { type Sample, omittedFields } from '../../../schema/sample.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef, asMachineRef, type CompanyRef, type MachineRef } from '../../../schema/refs.ts'

const nowUs = Date.now() * 1000

for (const kind of storeKinds) {
  describe(`latest values on ${kind}`, () => {
    const store = useFreshDatabase(kind)

    it('The latest value of each machine and metric is that of the newest sample, in any order of arrival', async () => {
      const writer = createSampleWriter(store())
      const told = [
        aSample({ atUs: nowUs, value: 'newest' }),
        aSample({ atUs: nowUs - 1, value: 'older' }),
        aSample({ atUs: nowUs - 1, subtype: 'ACTUAL', value: 'another' }),
        aSample({ machineRef: asMachineRef(2), atUs: nowUs - 5, value: 'of another' }),
      ]
      for (const sample of told) await writer.write([{ companyRef: asCompanyRef(1), sample }])
      await writer.write([
        { companyRef: asCompanyRef(2), sample: aSample({ atUs: nowUs + 9, value: 'of another company' }) },
      ])
      expect(
        (await read(store(), asCompanyRef(1), [asMachineRef(1), asMachineRef(2), asMachineRef(3)])).map(
          ({ machineRef, subtype, value }) => [machineRef, subtype, value],
        ),
      ).to.deep.equal([
        [1, '', 'newest'],
        [1, 'ACTUAL', 'another'],
        [2, '', 'of another'],
      ])
      expect(await read(store(), asCompanyRef(1), [asMachineRef(2)])).to.deep.equal([
        {
          machineRef: 2,
          atUs: nowUs - 5,
          key: 'load',
          type: 'LOAD',
          subtype: '',
          value: 'of another',
          category: 'SAMPLE',
        },
      ])
    })

    it('A future-dated value is returned with the values before it, up to a month old', async () => {
      const companyRef = asCompanyRef(4)
      const write = async (...given: readonly Partial<Sample>[]) =>
        createSampleWriter(store()).write(given.map(each => ({ companyRef, sample: aSample(each) })))
      const hourUs = 3_600_000_000
      await write(
        { subtype: 'often', atUs: nowUs - 60_000_000, value: 'a minute ago' },
        { subtype: 'rare', atUs: nowUs - 50 * hourUs, value: 'days ago' },
        { subtype: 'of long ago', atUs: nowUs - 1000 * hourUs, value: 'weeks ago' },
        { subtype: 'right', atUs: nowUs, value: 'now' },
        { subtype: 'rare', machineRef: asMachineRef(2), atUs: nowUs, value: 'of another' },
      )
      await write({ subtype: 'often', atUs: nowUs - 120_000_000, value: 'before' })
      for (const subtype of ['often', 'rare', 'of long ago', 'new'])
        await write({ subtype, atUs: nowUs + hourUs, value: 'ahead' })
      await store().command(sql`OPTIMIZE TABLE latest_values FINAL`)
      const found = await read(store(), companyRef, [asMachineRef(1)])
      expect(found.map(({ subtype, value }) => [subtype, value])).to.deep.equal([
        ['new', 'ahead'],
        ['of long ago', 'ahead'],
        ['often', 'a minute ago'],
        ['often', 'ahead'],
        ['rare', 'days ago'],
        ['rare', 'ahead'],
        ['right', 'now'],
      ])
      expect(found[2]).to.deep.equal({
        machineRef: 1,
        atUs: nowUs - 60_000_000,
        key: 'load',
        type: 'LOAD',
        subtype: 'often',
        value: 'a minute ago',
        category: 'SAMPLE',
      })
    })

    it('Of 100 samples per metric in one write, only the newest is stored', async () => {
      const metrics = [
        { key: 'load', type: 'LOAD', subtype: '' },
        { key: 'load', type: 'LOAD', subtype: 'ACTUAL' },
        { key: 'load', type: 'TORQUE', subtype: '' },
        { key: 'x', type: 'LOAD', subtype: '' },
      ]
      const samples = Array.from({ length: 400 }, (_, i) =>
        // The samples are out of order, with two of the newest instant, of which the last one applies.
        aSample({ ...metrics[i % 4], machineRef: asMachineRef(7), atUs: nowUs + ((i >> 2) % 50), value: `${i}` }),
      )
      const companyRef = asCompanyRef(3)
      await createSampleWriter(store()).write(samples.map(sample => ({ companyRef, sample })))
      const found = await read(store(), companyRef, [asMachineRef(7)])
      expect(found).to.have.deep.members(
        metrics.map((names, i) =>
          Object.assign(names, { machineRef: 7, atUs: nowUs + 49, value: `${396 + i}`, category: 'SAMPLE' }),
        ),
      )
      const kept = sql`SELECT count() AS kept, min(category) AS category FROM latest_values WHERE company = 3`
      expect(await store().query(kept)).to.deep.equal([{ kept: '4', category: 'SAMPLE' }])
    })
  })
}

async function read(store: Store, companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<StoredValue[]> {
  const values: StoredValue[] = []
  const nowMs = nowUs / 1000 + 60_000
  for await (const some of readLatestValues(store, companyRef, machines, nowMs)) values.push(...some)
  return values.sort((a, b) => a.machineRef - b.machineRef || compare(a.subtype, b.subtype) || a.atUs - b.atUs)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function aSample(given: Partial<Sample>): Sample {
  return {
    machineRef: asMachineRef(1),
    atUs: nowUs,
    key: 'load',
    type: 'LOAD',
    subtype: '',
    category: 'SAMPLE',
    value: '1',
    ...omittedFields,
    ...given,
  }
}
