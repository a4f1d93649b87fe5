import { assert } from 'chai'
import type { JobOperationRecord } from '../../../schema/records/job-operation.ts'
import { faultsOf, startApi, type TestAnswer, type TestApi } from '../../support/api.ts'
import { importFile } from './form.ts'
import { errorValue, formula, number, type RawWorkbook, rawWorkbook, text } from './raw-workbook.ts'

const formats = ['yyyy-mm-dd hh:mm', '000000', '"WO-"0000', '#,##0.00', '0%', '[h]:mm', '0'] as const
const format = (name: (typeof formats)[number]): number => formats.indexOf(name)
const heading = ['Order', 'Operation', 'Item', 'Quantity Ordered', 'Requested Delivery Date'].map(text)

describe('job files that are workbooks', function () {
  let api: TestApi
  beforeEach(async () => (api = await startApi()))
  afterEach(() => api.close())

  const send = (workbook: RawWorkbook): Promise<TestAnswer> =>
    importFile(api, rawWorkbook({ formats, ...workbook }), { type: 'vendorLN' })
  const operations = (): readonly JobOperationRecord[] =>
    api.registrar.records.list('jobOperation', api.registrar.company.id)
  const imported = async (rows: readonly (readonly string[])[], options: Partial<RawWorkbook> = {}) => {
    const { status, body } = await send({ sheets: [{ name: 'Orders', rows: [heading, ...rows] }], ...options })
    assert.equal(status, 200, JSON.stringify(body))
    return operations()
  }
  const faults = async (rows: readonly (readonly string[])[]): Promise<readonly string[]> => {
    const answer = await send({ sheets: [{ name: 'Orders', rows: [heading, ...rows] }] })
    assert.equal(answer.status, 400)
    assert.lengthOf(operations(), 0)
    return faultsOf(answer)
  }

  it('Date cells are exact to the second', async () => {
    const halfHours = Array.from({ length: 48 }, (_, index) => index)
    const rows = halfHours.map(index => [
      text(`T${index}`),
      number(10),
      text('P'),
      number(5),
      number((46_113 + index / 48).toFixed(11), format('yyyy-mm-dd hh:mm')),
    ])
    const start = Date.parse('2026-04-01T00:00:00Z')
    assert.deepEqual(
      (await imported(rows)).map(({ dueAt }) => dueAt),
      halfHours.map(index => new Date(start + index * 1_800_000).toISOString()),
    )
  })

  it('Dates of a workbook with the 1904 date system are read in that system, in every type of cell', async () => {
    const dates = [
      number(44_651, format('yyyy-mm-dd hh:mm')),
      number(44_651),
      text('44651'),
      text('2026-04-01'),
      '<c t="d"><v>2026-04-01T00:00:00</v></c>',
    ]
    const rows = dates.map((date, index) => [text(`D${index}`), number(10), text('00124'), number(5), date])
    for (const { dueAt, partName } of await imported(rows, { date1904: true }))
      assert.deepEqual([dueAt, partName], ['2026-04-01T00:00:00.000Z', '00124'])
  })

  it('Leap days and the last days of years are read correctly', async () => {
    const serials = [61, 45_351, 45_657, 46_356.999_99, 61_421]
    const rows = serials.map((serial, index) => [text(`D${index}`), '', '', '', number(serial + 25_569, 0)])
    assert.deepEqual(
      (await imported(rows)).map(({ dueAt }) => dueAt),
      serials.map(serial => new Date(Math.round(serial * 86_400) * 1000).toISOString()),
    )
  })

  it('A name is the text that the spreadsheet displays, with leading zeros and fixed letters', async () => {
    const rows = [
      [number(123, format('000000')), number('10.0'), number(45)],
      [number(7, format('"WO-"0000')), number(20, format('0')), number(1234, format('#,##0.00'))],
      [number(123_456_789_012), '<c t="b"><v>1</v></c>', number('0.30000000000000004')],
      [text('000124'), text('0010'), text(' P ')],
    ]
    assert.deepEqual(
      (await imported(rows)).map(({ jobName, operationName, partName }) => [jobName, operationName, partName]),
      [
        ['000123', '10', '45'],
        ['WO-0007', '20', '1234'],
        ['123456789012', 'TRUE', '0.3'],
        ['000124', '0010', 'P'],
      ],
    )
  })

  it('A name that the spreadsheet has changed is an error: a date, or more than 15 digits', async () => {
    const rows = [
      [number(46_113, format('yyyy-mm-dd hh:mm')), number(10), text('P')],
      [text('J1'), number('1234567890123456'), text('P')],
    ]
    assert.deepEqual(await faults(rows), ['row 2.name InvalidType', 'row 3.operation InvalidDataItem'])
  })

  it('The first visible sheet of a workbook is read', async () => {
    const row = (name: string) => [heading, [text(name), number(10), text('P')]]
    const { status } = await send({
      sheets: [
        { name: 'Old', state: 'hidden', rows: row('OLD1') },
        { name: 'Older', state: 'veryHidden', rows: row('OLD2') },
        { name: 'Orders', rows: row('J1') },
        { name: 'Next', rows: row('J2') },
      ],
    })
    assert.equal(status, 200)
    assert.deepEqual(
      operations().map(({ jobName }) => jobName),
      ['J1'],
    )
  })

  it('A cell that cannot be read is an error in a column of the mapping, and never counts as empty', async () => {
    await imported([[text('J1'), number(10), text('P'), number(5)]])
    const cells = [
      errorValue,
      formula('2+3'),
      '<c><f t="shared" ref="D2:D3" si="0">2+3</f></c>',
      number('five'),
      number('1E400'),
      number(46_113, format('yyyy-mm-dd hh:mm')),
      number(0.25, format('[h]:mm')),
      '<c t="b"><v>1</v></c>',
      number(2.5),
      number(-1),
    ]
    const rows = cells.map((cell, index) => [text(index === 0 ? 'J1' : `N${index}`), number(10), text('P'), cell])
    const answer = await send({ sheets: [{ name: 'Orders', rows: [heading, ...rows] }] })
    assert.equal(answer.status, 400)
    assert.deepEqual(
      faultsOf(answer).map(fault => fault.split(' ').slice(0, 2).join(' ')),
      cells.map((_, index) => `row ${index + 2}.quantity`),
    )
    assert.equal(operations()[0]?.quantityRequired, 5)
  })

  it('A formula counts as its stored result, and any content is accepted in unmapped columns', async () => {
    const rows = [
      [...heading, text('Note')],
      [text('J1'), number(10), text('P'), formula('15/3', '4.9999999999999998'), formula('A1', '46113'), errorValue],
      [text('J2'), '<c t="str"><f>""</f><v></v></c>', text('P'), '<c s="2"/>', '', formula('1+1')],
    ]
    assert.equal((await send({ sheets: [{ name: 'Orders', rows }] })).status, 200)
    const [first, second] = operations()
    assert.deepInclude(first, { quantityRequired: 5, dueAt: '2026-04-01T00:00:00.000Z' })
    assert.deepInclude(second, { operationName: '', quantityRequired: null, dueAt: null })
  })

  it('A formula result of 0 is an error if the program that wrote the workbook did not calculate it', async () => {
    const job = (quantity: string) => [heading, [text('J1'), number(10), text('P'), quantity]]
    const sendJob = (quantity: string) =>
      send({ sheets: [{ name: 'Orders', rows: job(quantity) }], fullCalcOnLoad: true })
    assert.deepEqual(faultsOf(await sendJob(formula('2+3', '0'))), ['row 2.quantity InvalidDataItem'])
    for (const quantity of [formula('2+3', '5'), number(0)]) assert.equal((await sendJob(quantity)).status, 200)
  })

  it('A row with one filled cell is rejected as a footer, except in a table of two columns', async () => {
    const job = [text('J1'), number(10), text('P')]
    assert.deepEqual(await faults([job, [text('(1 rows affected)')], job]), ['row 3 InvalidDataItem'])
    assert.deepEqual(await faults([job, [text('Total'), '', '', '', errorValue]]), ['row 3.due_date InvalidDataItem'])
    const names = [[text('Order'), text('Operation')], [text('J1')]]
    assert.equal((await send({ sheets: [{ name: 'Orders', rows: names }] })).status, 200, 'a table of two columns')
  })

  it('Cells with a format and without a value are empty, regardless of their number', async () => {
    const padding = Array.from({ length: 1200 }, () => '<c s="2"/>')
    const rows = [
      [...heading, ...padding],
      [text('J1'), number(10), text('P'), ...padding],
      ...Array.from({ length: 50 }, () => padding),
    ]
    assert.equal((await send({ sheets: [{ name: 'Orders', rows }] })).status, 200)
    assert.lengthOf(operations(), 1)
  })
})
