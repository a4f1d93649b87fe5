import { assert } from 'chai'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createImportLimiter } from '../../../api/import/import-limiter.ts'
import { type Mapping, readMapping, readMappings } from '../../../api/import/mappings.ts'
import { startApi } from '../../support/api.ts'
import { importFile } from './form.ts'

describe('mappings of job files', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-mappings-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const put = (name: string, mapping: unknown) => writeFileSync(join(folder, name), JSON.stringify(mapping))

  it('A mapping file in the folder replaces the mapping of its name, except mm', async () => {
    const own = await readMappings(null)
    const mapping: Mapping = { format: 'csv', delimiter: ';', columns: { name: { headings: ['Order'] } } }
    put('vendorVisual.json', mapping)
    put('mm.json', mapping)
    assert.deepEqual(await readMappings(folder), { ...own, vendorVisual: mapping })
  })

  it('The built-in mappings match the schema of mappings', async () => {
    for (const [name, mapping] of Object.entries(await readMappings(null))) {
      put(`${name}.json`, mapping)
      assert.deepEqual(await readMapping(join(folder, `${name}.json`)), mapping)
    }
  })

  it('A unit and a date format come from the mapping file', async () => {
    put('vendorVisual.json', {
      format: 'csv',
      delimiter: ';',
      columns: {
        name: { headings: ['Order'] },
        due_date: { headings: ['Due'], dateFormat: 'DD.MM.YYYY' },
        default_idealparttime: { headings: ['Rate'], unit: 'partsPerHour' },
        default_setuptime: { headings: ['Setup'], unit: 'min' },
      },
    })
    const api = await startApi({ imports: createImportLimiter(await readMappings(folder)) })
    try {
      const file = 'order;DUE;rate;setup\nA;1.4.2026;120;1.5\nB;2026-04-01;;\n'
      assert.equal((await importFile(api, file, { type: 'vendorVisual' })).status, 200)
      const [a, b] = api.registrar.records.list('jobOperation', api.registrar.company.id)
      assert.deepInclude(a, { dueAt: '2026-04-01T00:00:00.000Z', idealPartTime: 30_000, expectedSetupTime: 90 })
      assert.deepInclude(b, { dueAt: '2026-04-01T00:00:00.000Z', idealPartTime: null, expectedSetupTime: null })
    } finally {
      await api.close()
    }
  })

  it('An invalid mapping is rejected with all of its errors', async () => {
    put('vendorLN.json', { format: 'pdf', columns: { workcenter: { headings: [] }, price: { headings: ['x'] } } })
    const error = await readMappings(folder).then(
      () => null,
      (reason: unknown) => reason,
    )
    assert.instanceOf(error, Error)
    for (const part of ['vendorLN.json', 'format', 'columns.name', 'columns.workcenter.headings', 'columns'])
      assert.include(String(error), part)
    const own = { name: { headings: ['x'] } }
    for (const [mapping, message] of [
      [{ decimal: ',', thousands: ',', columns: own }, 'decimal and thousands must differ'],
      [{ columns: { ...own, setuptime: { headings: ['x'], unit: 'h', unitFrom: 'y' } } }, 'has a unit and a unitFrom'],
      [{ columns: { name: { headings: ['x'], unitFrom: 'y' } } }, 'columns.name.unitFrom is only for times'],
      [{ columns: { ...own, setuptime: { headings: ['x'], units: { H: 'h' } } } }, 'setuptime.units needs unitFrom'],
      [{ columns: { name: { headings: ['x'], noDate: ['0'] } } }, 'columns.name.noDate is only for dates'],
      [{ columns: { ...own, setuptime: { headings: ['x'], unitFrom: 'y', units: { H: 'd' } } } }, 'must be one of ms'],
    ] as const) {
      put('vendorVisual.json', { format: 'csv', ...mapping })
      const rejection: unknown = await readMapping(join(folder, 'vendorVisual.json')).catch((reason: unknown) => reason)
      assert.include(String(rejection), message)
    }
  })
})
