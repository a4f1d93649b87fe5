import { expect } from 'chai'
import { readLatestValues, type StoredValue } from '../../../clickhouse/samples/latest-values.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { createSampleWriter } from '../../../clickhouse/samples/samples.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { Sample } from '../../../schema/sample.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef, asMachineRef, type CompanyRef, type MachineRef } from '../../../schema/refs.ts'

const nowUs = Date.now() * 1000

for (const kind of storeKinds) {
  describe(`the latest values on ${kind}`, () => {
    const store = useFreshDatabase(kind)

    it('are those of the newest samples, in whatever order they came, of each metric and machine', async () => {
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
        { machineRef: 2, atUs: nowUs - 5, key: 'load', type: 'LOAD', subtype: '', value: 'of another' },
      ])
    })

    it('are those of the newest samples where many come in one write, each metric once', async () => {
      const metrics = [
        { key: 'load', type: 'LOAD', subtype: '' },
        { key: 'load', type: 'LOAD', subtype: 'ACTUAL' },
        { key: 'load', type: 'TORQUE', subtype: '' },
        { key: 'x', type: 'LOAD', subtype: '' },
      ]
      const samples = Array.from({ length: 400 }, (_, i) =>
        // Out of order, and two of the newest instant: the one that comes last stands.
        aSample({ ...metrics[i % 4], machineRef: asMachineRef(7), atUs: nowUs + ((i >> 2) % 50), value: `${i}` }),
      )
      const companyRef = asCompanyRef(3)
      await createSampleWriter(store()).write(samples.map(sample => ({ companyRef, sample })))
      const found = await read(store(), companyRef, [asMachineRef(7)])
      expect(found).to.have.deep.members(
        metrics.map((names, i) => Object.assign(names, { machineRef: 7, atUs: nowUs + 49, value: `${396 + i}` })),
      )
      const kept = sql`SELECT count() AS kept, min(category) AS category FROM latest_values WHERE company = 3`
      expect(await store().query(kept)).to.deep.equal([{ kept: '4', category: 'SAMPLE' }])
    })
  })
}

async function read(store: Store, companyRef: CompanyRef, machines: readonly MachineRef[]): Promise<StoredValue[]> {
  const values: StoredValue[] = []
  for await (const some of readLatestValues(store, companyRef, machines)) values.push(...some)
  return values.sort((a, b) => a.machineRef - b.machineRef || (a.subtype < b.subtype ? -1 : 1))
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
    nativeCode: '',
    nativeSeverity: '',
    qualifier: '',
    message: '',
    instanceId: null,
    sequence: null,
    ...given,
  }
}
