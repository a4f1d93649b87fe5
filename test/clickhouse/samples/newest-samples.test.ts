import { expect } from 'chai'
import { readNewestSamples } from '../../../clickhouse/samples/newest-samples.ts'
import { ofPipeline } from '../../../clickhouse/client/rows.ts'
import { readActivityAfter } from '../../../clickhouse/samples/read-activity.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { createSampleWriter } from '../../../clickhouse/samples/samples.ts'
import { type Sample, omittedFields } from '../../../schema/sample.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

// Raw samples of long ago expire.
const nowMs = Date.now()
const minuteMs = 60_000

for (const kind of storeKinds) {
  describe(`newest samples on ${kind}`, () => {
    const store = useFreshDatabase(kind)

    it('The newest sample up to an instant is that of all keys, also behind future-dated samples, which are the activity after it', async () => {
      const companyRef = asCompanyRef(1)
      const sample = (machine: number, key: string, minute: number, extraUs = 0): Sample => ({
        ...omittedFields,
        machineRef: asMachineRef(machine),
        atUs: (nowMs + minute * minuteMs) * 1000 + extraUs,
        key,
        type: 'LOAD',
        subtype: '',
        category: 'SAMPLE',
        value: '1',
      })
      const write = (...samples: readonly Sample[]) =>
        createSampleWriter(store()).write(samples.map(each => ({ companyRef, sample: each })))
      await write(sample(1, 'a', -5), sample(1, 'b', -3), sample(1, 'a', -9))
      await write(sample(2, 'a', -2), sample(2, 'b', -600))
      await write(sample(2, 'a', 7))
      await write(sample(3, 'a', 7))
      await write(sample(4, 'a', 0, 999), sample(4, 'b', 0, 1_000))
      await createSampleWriter(store()).write([{ companyRef: asCompanyRef(2), sample: sample(1, 'a', -1) }])
      await store().command(sql`OPTIMIZE TABLE latest_values FINAL`)
      const machines = [1, 2, 3, 4, 5].map(each => asMachineRef(each))
      const found = await readNewestSamples(store(), companyRef, machines, nowMs)
      const minutes = [...found]
        .map(([ref, ms]) => [ref, (ms - nowMs) / minuteMs])
        .toSorted(([a = 0], [b = 0]) => a - b)
      expect(minutes).to.deep.equal([
        [1, -3],
        [2, -2],
        [4, 0],
      ])
      expect(await readNewestSamples(store(), companyRef, [], nowMs)).to.deep.equal(new Map())

      await write(sample(2, 'a', 6), sample(2, 'b', 90))
      const after = await readActivityAfter(store(), companyRef, machines, nowMs, ofPipeline)
      expect(after.map(({ machineRef, firstMs }) => [machineRef, (firstMs - nowMs) / minuteMs])).to.deep.equal([
        [2, 6],
        [2, 7],
        [2, 90],
        [3, 7],
        [4, 1 / minuteMs],
      ])
      expect(await readActivityAfter(store(), companyRef, [], nowMs, ofPipeline)).to.deep.equal([])
    })
  })
}
