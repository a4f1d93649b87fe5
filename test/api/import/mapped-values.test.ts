import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import { createImportLimiter } from '../../../api/import/import-limiter.ts'
import { type Mapping, readMappings } from '../../../api/import/mappings.ts'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import { faultsOf, startApi, type TestAnswer, type TestApi } from '../../support/api.ts'
import { importFile } from './form.ts'
import { number, rawWorkbook, text } from './raw-workbook.ts'

describe('values of a mapping', function () {
  let api: TestApi | null = null
  afterEach(async () => {
    await api?.close()
    api = null
  })

  const started = async (mapping: Mapping): Promise<TestApi> => {
    await api?.close()
    api = await startApi({ imports: createImportLimiter({ ...(await readMappings(null)), vendorVisual: mapping }) })
    for (const name of ['MILL1', 'LATHE1']) await api.registrar.perform('machine.put', { id: randomUUID(), name })
    return api
  }
  const operations = (): readonly JobOperationRecord[] =>
    api?.registrar.records.list('jobOperation', api.registrar.company.id) ?? []
  const send = async (mapping: Mapping, file: string | Uint8Array, autoArchive = 'false'): Promise<TestAnswer> =>
    importFile(await started(mapping), file, { type: 'vendorVisual', autoArchive })
  const values = async <Field extends keyof JobOperationRecord>(mapping: Mapping, file: string, field: Field) => {
    const { status, body } = await send(mapping, file)
    assert.equal(status, 200, JSON.stringify(body))
    return operations().map(operation => operation[field])
  }
  const column = (rest: object): Mapping => ({
    format: 'csv',
    delimiter: '|',
    columns: { name: { headings: ['Name'] }, ...rest },
  })
  const fileOf = (heading: string, cells: readonly string[]): string =>
    [`Name|${heading}`, ...cells.map((cell, index) => `J${index}|${cell}`)].join('\n')

  const dates: Readonly<Record<NonNullable<Mapping['columns']['due_date']>['dateFormat'] & string, readonly string[]>> =
    {
      iso: ['2026-04-01 14:30:00.000', '2026-04-01T14:30Z', '2026-04-01T16:30:00+02:00', '2026-04-01 2:30:00 PM'],
      'MM/DD/YYYY': ['4/1/2026 2:30:00 PM', '04/01/2026 14:30', '4/1/2026 02:30 pm', '2026-04-01 14:30:00'],
      'DD/MM/YYYY': ['1/4/2026 14:30', '01/04/2026 14:30:00,000'],
      'DD.MM.YYYY': ['01.04.2026 14:30', '1.4.2026  14:30:00'],
      YYYYMMDD: ['20260401143000', '20260401 1430', '20260401 14:30', '20260401T143000'],
    }
  for (const [dateFormat, texts] of Object.entries(dates))
    it(`A date-time ${dateFormat} is read with its time`, async () => {
      const mapping = column({ due_date: { headings: ['Due'], dateFormat } })
      assert.deepEqual(
        await values(mapping, fileOf('Due', texts), 'dueAt'),
        texts.map(() => '2026-04-01T14:30:00.000Z'),
      )
    })

  it('Noon and midnight are 12 PM and 12 AM, and a time that does not exist is an error', async () => {
    const mapping = column({ due_date: { headings: ['Due'], dateFormat: 'MM/DD/YYYY' } })
    assert.deepEqual(
      await values(mapping, fileOf('Due', ['4/1/2026 12:00:00 AM', '4/1/2026 12:00 PM', '2/29/2028']), 'dueAt'),
      ['2026-04-01T00:00:00.000Z', '2026-04-01T12:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    )
    const wrong = ['4/1/2026 13:00 PM', '4/1/2026 0:00 AM', '4/1/2026 24:30', '4/1/2026 12:60', '2/29/2026', '4/1/26']
    const answer = await send(mapping, fileOf('Due', [...wrong, '4/1/2026 1', '4/1/2026 x']))
    assert.lengthOf(faultsOf(answer), wrong.length + 2)
  })

  it('A date that means "none" removes the due date, in each format of the file', async () => {
    const noDate = ['1900-01-01', '9999-12-31', '0000-00-00', '00/00/0000', 'NULL', '0']
    const mapping = column({ due_date: { headings: ['Due'], dateFormat: 'MM/DD/YYYY', noDate } })
    const texts = [
      '1/1/1900',
      '01/01/1900 12:00:00 AM',
      '12/31/9999 11:59:59 PM',
      '0000-00-00 00:00:00',
      '00/00/0000',
      'NULL',
      '1900-01-01',
      '0',
    ]
    assert.deepEqual(
      await values(mapping, fileOf('Due', texts), 'dueAt'),
      texts.map(() => null),
    )
    assert.deepEqual(faultsOf(await send(mapping, fileOf('Due', ['1/2/1900', 'null', '00/00/00']))), [
      'row 2.due_date InvalidDate',
      'row 3.due_date InvalidDate',
      'row 4.due_date InvalidDate',
    ])
    const cells = [number(1, 0), number(0, 0), number(0), number(2_958_465, 0), text('1900-01-01')]
    const rows = [[text('Name'), text('Due')], ...cells.map((cell, index) => [text(`J${index}`), cell])]
    const workbook = rawWorkbook({ sheets: [{ name: 'S', rows }], formats: ['yyyy-mm-dd'] })
    assert.equal((await send({ ...mapping, format: 'xlsx' }, workbook)).status, 200)
    assert.deepEqual(
      operations().map(({ dueAt }) => dueAt),
      cells.map(() => null),
    )
  })

  const separators: readonly (readonly [
    Pick<Mapping, 'decimal' | 'thousands'>,
    Readonly<Record<string, number>>,
    readonly string[],
  ])[] = [
    [
      { thousands: ',' },
      { '1,500.00': 1500, '1500.0000': 1500, '1,234,567': 1_234_567, '500.000': 500, '1': 1 },
      ['1,50', '1,2345', '12,34,567', '1.5', '1.500,00'],
    ],
    [{ thousands: '.' }, { '1.500,00': 1500, '1.500': 1500, '1500,0': 1500 }, ['1.50', '1,5', '1,500.00']],
    [
      { thousands: ' ', decimal: ',' },
      { '1 500,00': 1500, '1\u00a0500': 1500, '1\u202f234\u202f567': 1_234_567 },
      ['1 50', '1.500', '1,5'],
    ],
    [{ thousands: "'" }, { "1'500.00": 1500, '1\u2019500': 1500 }, ["1'50", '1,500']],
    [{ decimal: ',' }, { '1500,0': 1500, '1500': 1500 }, ['1.500', '1500,5']],
    [{ decimal: '.' }, { '500.000': 500 }, ['1,500']],
    [
      {},
      { '1500': 1500, '1500.0000': 1500, '15e2': 1500 },
      ['1.500', '500.000', '1,500', '1.5', '-1', '1 500', "1'500"],
    ],
  ]
  for (const [format, good, bad] of separators)
    it(`A whole number is read with the separators ${JSON.stringify(format)}, and rejected with other ones`, async () => {
      const mapping = { ...column({ quantity: { headings: ['Quantity'] } }), ...format }
      assert.deepEqual(
        await values(mapping, fileOf('Quantity', Object.keys(good)), 'quantityRequired'),
        Object.values(good),
      )
      const answer = await send(mapping, fileOf('Quantity', bad))
      assert.lengthOf(faultsOf(answer), bad.length, JSON.stringify(answer.body))
    })

  it('A time in the unit of its record is a whole number, and another unit may have a fraction', async () => {
    const times = { default_idealparttime: { headings: ['Ideal'] }, default_setuptime: { headings: ['Setup'] } }
    for (const [cells, fault] of [
      ['52.000|60', 'row 2.default_idealparttime InvalidDataItem'],
      ['41.7|60', 'row 2.default_idealparttime InvalidType'],
      ['52000|1.5', 'row 2.default_setuptime InvalidType'],
    ] as const)
      assert.deepEqual(faultsOf(await send(column(times), `Name|Ideal|Setup\nJ|${cells}`)), [fault])
    const inHours = column({ default_idealparttime: { headings: ['Ideal'], unit: 'h' } })
    assert.deepEqual(await values(inHours, 'Name|Ideal\nJ|1.250', 'idealPartTime'), [4_500_000])
  })

  it('A unit is read from its column, row by row, by the table of the mapping', async () => {
    const mapping = column({
      default_idealparttime: { headings: ['Rate'], unitFrom: 'Run basis', units: { PH: 'partsPerHour', HP: 'h' } },
      default_setuptime: { headings: ['Setup'], unitFrom: 'Setup unit' },
    })
    const heading = 'Name|Rate|RUN_BASIS|Setup|setup unit\n'
    const { status } = await send(mapping, `${heading}J1|120|PH|1.5|h\nJ2|0.02|HP|90|s\nJ3||XX||\nJ4|0|PH|2|min\n`)
    assert.equal(status, 200)
    assert.deepEqual(
      operations().map(({ idealPartTime, expectedSetupTime }) => [idealPartTime, expectedSetupTime]),
      [
        [30_000, 5400],
        [72_000, 90],
        [null, null],
        [0, 120],
      ],
    )
    assert.deepEqual(faultsOf(await send(mapping, `${heading}J1|120|ph|1.5|H\nJ2|1||1|\nJ3|1|constructor|1|s`)), [
      'row 2.default_idealparttime InvalidEnum',
      'row 2.default_setuptime InvalidEnum',
      'row 3.default_idealparttime InvalidEnum',
      'row 3.default_setuptime InvalidEnum',
      'row 4.default_idealparttime InvalidEnum',
    ])
    assert.deepEqual(faultsOf(await send(mapping, 'Name|Rate|Setup|Setup unit\nJ1|1|1|h')), ['csvFile Required'])
  })

  it('Each time in a job file can have its own unit column', async () => {
    const units = { H: 'h', M: 'min', S: 's' } as const
    const mapping: Mapping = {
      format: 'csv',
      columns: {
        name: { headings: ['Job Number'] },
        operation: { headings: ['Step Number'] },
        workcenter: { headings: ['Work Center'] },
        setuptime: { headings: ['Setup Time'], unitFrom: 'Setup Time Unit', units },
        idealparttime: { headings: ['Cycle Time'], unitFrom: 'Cycle Time Unit', units },
      },
    }
    const file = [
      'Job Number,Step Number,Work Center,Setup Time,Setup Time Unit,Cycle Time,Cycle Time Unit',
      '24-1001,10,MILL1,1.5,H,90,S',
      '24-1001,20,LATHE1,30,M,2.5,M',
    ]
    assert.equal((await send(mapping, file.join('\r\n'))).status, 200)
    const centers = operations().flatMap(({ workCenters }) => workCenters)
    assert.deepEqual(
      centers.map(({ idealPartTime, expectedSetupTime }) => [idealPartTime, expectedSetupTime]),
      [
        [90_000, 5400],
        [150_000, 1800],
      ],
    )
  })

  it('A percent cell of a workbook is read as displayed', async () => {
    const mapping: Mapping = {
      format: 'xlsx',
      columns: { name: { headings: ['Name'] }, warningpercent: { headings: ['Warn'] } },
    }
    const cells = [number(0.905, 0), number(90.5), text('90.5%')]
    const rows = [[text('Name'), text('Warn')], ...cells.map((cell, index) => [text(`J${index}`), cell])]
    assert.equal((await send(mapping, rawWorkbook({ sheets: [{ name: 'S', rows }], formats: ['0%'] }))).status, 200)
    assert.deepEqual(
      operations().map(({ thresholds }) => thresholds.partsGoalWarning),
      [0.905, 0.905, 0.905],
    )
  })

  describe('unknownWorkCenter', () => {
    const columns = {
      name: { headings: ['Name'] },
      workcenter: { headings: ['Machine'] },
      quantity: { headings: ['Quantity'] },
      idealparttime: { headings: ['Ideal'] },
    }
    const skipping: Mapping = { format: 'csv', columns, unknownWorkCenter: 'skip' }
    const file = 'Name,Machine,Quantity,Ideal\nJ1,MILL1,5,1000\nJ1,Paint,6,x\nJ2,Paint,7,\nJ3,,8,\n'

    it('A row with an unknown work center is an error by default', async () => {
      for (const mapping of [{ ...skipping, unknownWorkCenter: 'error' } as const, { format: 'csv', columns } as const])
        assert.includeMembers(faultsOf(await send(mapping, file)), ['row 4.workcenter InvalidDataItem'])
    })

    it('With unknownWorkCenter: skip, a row with an unknown work center changes nothing, and its job is not archived', async () => {
      const service = await started(skipping)
      for (const jobName of ['J2', 'J9'])
        await service.registrar.perform('jobOperation.put', { id: jobName, jobName, quantityRequired: 1 })
      const form = new FormData()
      form.append('csvFile', new Blob([file]), 'jobs.csv')
      form.append('autoArchive', 'true')
      const preview = await service.call('POST', '/jobs/import/preview?type=vendorVisual', undefined, { raw: form })
      assert.deepEqual(preview.body, { created: 2, changed: 0, archived: 1, skippedRows: 2 })
      assert.equal((await importFile(service, file, { type: 'vendorVisual', autoArchive: 'true' })).status, 200)
      assert.deepEqual(
        operations().map(({ jobName, quantityRequired, archivedAt }) => [
          jobName,
          quantityRequired,
          archivedAt !== null,
        ]),
        [
          ['J2', 1, false],
          ['J9', 1, true],
          ['J1', 5, false],
          ['J3', 8, false],
        ],
      )
      const onlyUnknown = 'Name,Machine,Quantity,Ideal\nJ2,Paint,7,\n'
      const refused = await importFile(service, onlyUnknown, { type: 'vendorVisual', autoArchive: 'true' })
      assert.deepEqual([refused.status, ...faultsOf(refused)], [400, 'csvFile Required'])
    })

    it('With unknownWorkCenter: skip, a work center of several machines is an error', async () => {
      const service = await started(skipping)
      await service.registrar.perform('machine.put', { id: randomUUID(), name: 'MILL1' })
      const answer = await importFile(service, file, { type: 'vendorVisual' })
      assert.deepEqual(faultsOf(answer), ['row 2.workcenter InvalidDataItem'])
    })
  })
})
