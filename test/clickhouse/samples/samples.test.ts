import { expect } from 'chai'
import { strict as assert } from 'node:assert'
import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import { columns } from '../../../clickhouse/client/rows.ts'
import { sampleColumnsSql, sampleShape, toSamples } from '../../../clickhouse/samples/sample-rows.ts'
import { createSampleWriter, setSampleRetention } from '../../../clickhouse/samples/samples.ts'
import { sql } from '../../../clickhouse/sql/sql.ts'
import { aSample } from '../a-sample.ts'
import { storeKinds, useFreshDatabase } from '../../support/database.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

// The samples are recent, because the engine deletes samples past their retention.
const nowUs = Date.now() * 1000

for (const kind of storeKinds) {
  describe(`samples on ${kind}`, () => {
    const store = useFreshDatabase(kind)

    it('A sample is stored with its numeric value and instant beside the fields that were sent', async () => {
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

    it('3,000 samples of one write are read back unchanged, in any order', async () => {
      const texts = ['', 'a', 'é', '漢', 'a\0b\n"\\', 'x'.repeat(16_384), '\u{1f680}'.repeat(40)]
      const pick = (random: () => number) => texts[Math.floor(random() * texts.length)] ?? ''
      const random = seeded(7)
      const written = Array.from({ length: 3_000 }, (_, i) => {
        const isNumbered = random() < 0.3
        return aSample({
          machineRef: asMachineRef(31 + Math.floor(random() * 5)),
          // A sample is identified by its message.
          message: `${i}`,
          atUs: nowUs - Math.floor(random() * 1000),
          key: `${pick(random)} key`,
          type: random() < 0.1 ? 'LOAD' : 'POSITION',
          subtype: random() < 0.1 ? 'ACTUAL' : '',
          category: random() < 0.5 ? 'SAMPLE' : 'CONDITION',
          value: pick(random),
          nativeCode: pick(random),
          nativeSeverity: pick(random),
          qualifier: pick(random),
          instanceId: isNumbered ? Math.floor(random() * 2 ** 53) : null,
          sequence: isNumbered ? i : null,
        })
      })
      const rows = written.map(sample => ({ companyRef: asCompanyRef(5), sample }))
      await createSampleWriter(store()).write(rows)
      const query = sql`SELECT ${sampleColumnsSql} FROM samples WHERE company = 5 ORDER BY toUInt32(message)`
      assert.deepEqual(toSamples(await columns(store(), query, sampleShape)), written)
      const sorted = sql`
        SELECT count() AS parts, max(rows) AS most FROM system.parts
        WHERE database = currentDatabase() AND table = 'samples' AND active AND rows = 3000`
      expect((await store().query(sorted))[0]).to.deep.equal({ parts: '1', most: '3000' })
    })

    it('Samples of a key that a setting newly names become state samples in any spelling, and this can be repeated', async () => {
      const keys = ['part_count', 'PartCount', 'PART COUNT', 'part_count2']
      const samples = keys.map((key, i) => aSample({ machineRef: asMachineRef(21), key, atUs: nowUs + i }))
      await createSampleWriter(store()).write([
        ...samples.map(sample => ({ companyRef: asCompanyRef(3), sample })),
        {
          companyRef: asCompanyRef(3),
          sample: aSample({ machineRef: asMachineRef(22), key: 'part_count', atUs: nowUs }),
        },
        {
          companyRef: asCompanyRef(4),
          sample: aSample({ machineRef: asMachineRef(21), key: 'part_count', atUs: nowUs }),
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

    it('The retention of samples is the configured number of days', async () => {
      for (const days of [30, 30, 400]) await setSampleRetention(store(), days)
      const [table] = await store().query<{ ddl: string }>(
        sql`SELECT create_table_query AS ddl FROM system.tables WHERE database = currentDatabase() AND name = 'samples'`,
      )
      expect(table?.ddl).to.contain('toIntervalDay(400)').and.not.contain('toIntervalDay(30)')
    })
  })
}

/** Numbers in [0, 1), equal in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
