import { expect } from 'chai'
import { readRecentSamples } from '../../../clickhouse/samples/recent-samples.ts'
import { createSampleWriter } from '../../../clickhouse/samples/samples.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { omittedFields, type Sample } from '../../../schema/sample.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'

// Raw samples of long ago expire.
const nowMs = Date.now()
const companyRef = asCompanyRef(1)

for (const kind of storeKinds) {
  describe(`recent samples on ${kind}`, () => {
    const store = useFreshDatabase(kind)

    const sample = (machine: number, atMs: number, value: string): Sample => ({
      ...omittedFields,
      machineRef: asMachineRef(machine),
      atUs: (nowMs + atMs) * 1000,
      key: 'DB10.W4',
      type: 'WORD',
      subtype: '',
      category: 'EVENT',
      value,
      nativeCode: 'c',
      message: 'text',
      instanceId: 7,
      sequence: 9,
    })

    it('The newest samples of a machine in the range are read once each, by time', async () => {
      const own = [sample(1, -9, 'a'), sample(1, -5, 'b'), sample(1, -5, 'c'), sample(1, -2, 'd')]
      const write = (ref: number, samples: readonly Sample[]) =>
        createSampleWriter(store()).write(samples.map(each => ({ companyRef: asCompanyRef(ref), sample: each })))
      await write(1, [...own, sample(1, -20, 'early'), sample(1, 0, 'late'), sample(2, -5, 'other machine')])
      await write(1, own)
      await write(2, [sample(1, -5, 'other company')])
      const range = { companyRef, machineRef: asMachineRef(1), fromMs: nowMs - 9, toMs: nowMs }
      const all = await readRecentSamples(store(), range, 10)
      expect(all.map(({ value }) => value)).to.have.members(['a', 'b', 'c', 'd'])
      expect(all[0]).to.deep.equal(own[0])
      expect(all.at(-1)).to.deep.equal(own[3])
      expect((await readRecentSamples(store(), range, 1)).map(({ value }) => value)).to.deep.equal(['d'])
    })
  })
}
