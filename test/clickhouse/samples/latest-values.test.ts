import { expect } from 'chai'
import { readLatestValues, type StoredValue } from '../../../clickhouse/samples/latest-values.ts'
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
