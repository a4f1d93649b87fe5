import { expect } from 'chai'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { createSampleWriter, setSampleRetention } from '../../../clickhouse/samples/samples.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import type { Sample } from '../../../schema/sample.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

// Near the present: the engine drops samples that are past their retention.
const nowUs = Date.now() * 1000

for (const kind of storeKinds) {
  describe(`samples on ${kind}`, () => {
    const store = useFreshDatabase(kind)

    it('are kept with their number and instant beside what was sent', async () => {
      const atUs = Math.floor(nowUs / 1e6) * 1e6 + 123_456
      const written = aSample({ atUs, value: '-1.5e3', key: 'Srpm' })
      await createSampleWriter(store()).write([
        { companyRef: asCompanyRef(1), sample: written },
        { companyRef: asCompanyRef(2), sample: { ...written, value: 'UNAVAILABLE', instanceId: 4, sequence: 5 } },
      ])
      const rows = await store().query(
        sql`SELECT company, value, number, instance_id, sequence, toUnixTimestamp64Micro(at) AS us FROM samples ORDER BY company`,
      )
      const us = String(atUs)
      expect(rows).to.deep.equal([
        { company: 1, value: '-1.5e3', number: -1500, instance_id: null, sequence: null, us },
        { company: 2, value: 'UNAVAILABLE', number: null, instance_id: '4', sequence: '5', us },
      ])
    })

    it('of a newly named key can be promoted, whatever the spelling, as often as one likes', async () => {
      const keys = ['part_count', 'PartCount', 'PART COUNT', 'part_count2']
      const samples = keys.map((key, i) => aSample({ machineRef: asMachineRef(21), key, atUs: nowUs + i }))
      await createSampleWriter(store()).write([
        ...samples.map(sample => ({ companyRef: asCompanyRef(3), sample })),
        {
          companyRef: asCompanyRef(3),
          sample: aSample({ machineRef: asMachineRef(22), key: 'part_count' }),
        },
        {
          companyRef: asCompanyRef(4),
          sample: aSample({ machineRef: asMachineRef(21), key: 'part_count' }),
        },
      ])
      const documents = createDocumentStore(store())
      await documents.promoteKey(asCompanyRef(3), asMachineRef(21), 'Part_Count')
      await documents.promoteKey(asCompanyRef(3), asMachineRef(21), 'partcount')
      await store().command(sql`OPTIMIZE TABLE deciding_samples FINAL`)
      const found = await documents.readSamples(asCompanyRef(3), [asMachineRef(21), asMachineRef(22)], 0, Infinity)
      expect(found.toSorted((a, b) => a.atUs - b.atUs)).to.deep.equal(samples.slice(0, 3))
      expect(await documents.readSamples(asCompanyRef(4), [asMachineRef(21)], 0, Infinity)).to.deep.equal([])
    })

    it('are kept as long as configured', async () => {
      for (const days of [30, 30, 400]) await setSampleRetention(store(), days)
      const [table] = await store().query<{ ddl: string }>(
        sql`SELECT create_table_query AS ddl FROM system.tables WHERE database = currentDatabase() AND name = 'samples'`,
      )
      expect(table?.ddl).to.contain('toIntervalDay(400)').and.not.contain('toIntervalDay(30)')
    })
  })
}

function aSample(given: Partial<Sample>): Sample {
  return {
    machineRef: asMachineRef(11),
    atUs: nowUs,
    key: 'execution',
    type: 'EXECUTION',
    subtype: '',
    category: 'EVENT',
    value: 'ACTIVE',
    nativeCode: '',
    nativeSeverity: '',
    qualifier: '',
    message: '',
    instanceId: null,
    sequence: null,
    ...given,
  }
}
