import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createImportLimiter } from '../../api/import/import-limiter.ts'
import { dateFormats, readMappings, units } from '../../api/import/mappings.ts'
import { importFile } from '../api/import/form.ts'
import { startApi, type TestApi } from '../support/api.ts'

const file = 'docs/job-import.md'
const page = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

describe(file, function () {
  let folder: string
  let api: TestApi

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-job-import-'))
    const mapping = blocks('json').find(block => block.includes('"unknownWorkCenter"')) ?? assert.fail('no mapping')
    writeFileSync(join(folder, 'vendorVisual.json'), mapping)
    api = await startApi({ imports: createImportLimiter(await readMappings(folder)) })
    await api.registrar.perform('machine.put', { id: randomUUID(), name: 'Lathe 1' })
  })
  after(async () => {
    await api.close()
    rmSync(folder, { recursive: true })
  })

  it('The example mapping of docs/job-import.md reads the example file as documented', async () => {
    const [example = ''] = blocks('csv')
    const { status, body } = await importFile(api, example, { type: 'vendorVisual' })
    assert.equal(status, 200, JSON.stringify(body))
    const operations = api.registrar.records.list('jobOperation', api.registrar.company.id)
    assert.deepEqual(
      operations.map(({ jobName, dueAt, quantityRequired, workCenters: [center] }) => [
        jobName,
        dueAt,
        quantityRequired,
        center?.expectedSetupTime,
        center?.idealPartTime,
      ]),
      [
        ['WO-2001', '2026-04-01T14:30:00.000Z', 1500, 1350, 30_000],
        ['WO-2002', null, 40, 900, 180_000],
      ],
    )
  })

  it('docs/job-import.md lists every unit and every date format', () => {
    for (const name of [...units, ...dateFormats]) assert.include(page, `\`${name}\``)
  })
})

function blocks(language: string): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, name, text]) =>
    name === language && text !== undefined ? [text] : [],
  )
}
