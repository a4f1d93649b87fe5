import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from 'chai'
import * as fc from 'fast-check'
import { unzipSync } from 'fflate'
import { type CellObject, read, utils } from 'xlsx'
import type { Cell, ColumnKind, FileColumn, FileTableRow } from '../../../api/files/table.ts'
import { writeTextRows } from '../../../api/files/text-rows.ts'
import { readWorkbook } from '../../../api/files/workbook.ts'
import type { Language } from '../../../schema/languages.ts'
import { runPython } from '../../support/python.ts'

const folder = mkdtempSync(join(tmpdir(), 'takt-workbook-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const reader = { timeZone: 'UTC', language: 'en' } as const

function columnsOf(...kinds: readonly ColumnKind[]): FileColumn[] {
  return kinds.map((kind, i) => ({ name: `c${i}`, title: `Column ${i}`, kind }))
}

interface Options {
  readonly timeZone?: string
  readonly language?: Language
  readonly maxRows?: number
}

async function workbook(
  columns: readonly FileColumn[],
  rows: Iterable<FileTableRow>,
  { timeZone = 'America/Chicago', language = 'en', ...options }: Options = {},
): Promise<Buffer> {
  const path = join(folder, String(++files))
  await writeTextRows(path, { columns, rows }, { format: 'xlsx' })
  return buffer(readWorkbook({ path, columns, reader: { timeZone, language }, sheetName: 'production', ...options }))
}

/** The values of a workbook's sheets, by SheetJS: empty cells are null. */
function valuesOf(bytes: Buffer): Readonly<Record<string, unknown[][]>> {
  const book = read(bytes, { cellDates: false })
  return Object.fromEntries(
    Object.entries(book.Sheets).map(([name, sheet]) => [
      name,
      utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: true, defval: null }),
    ]),
  )
}

/** The first cell below the heading, as SheetJS reads it. */
async function cellOf(kind: ColumnKind, value: Cell, timeZone?: string): Promise<CellObject | undefined> {
  const bytes = await workbook(columnsOf('text', kind), [['x', value]], timeZone === undefined ? {} : { timeZone })
  return read(bytes, { cellNF: true, cellFormula: true }).Sheets['production']?.['B2']
}

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('=1+1', '+1', '-5', '@x', "'=1", '=HYPERLINK("http://x","y")', '\t=1', '\r\n=1', 'a\r\nb', ' x '),
  fc.constantFrom(
    '<f>1+1</f>',
    '</t></is><f>1</f>',
    '&amp;',
    ']]>',
    '_x0041_',
    '_x000D_',
    '_',
    'Fräse № 5',
    '😀',
    '1e5',
  ),
)

describe('workbooks', () => {
  it('A workbook has titles with units, and numbers in these units with formats', async () => {
    const kinds = ['text', 'integer', 'number', 'ms', 'msPerPart', 'ratio', 'rate', 'date', 'instant'] as const
    const rows = [
      [
        'Lathe 1',
        7,
        2.5,
        5_400_000,
        61_500,
        0.12345,
        0.3043478261,
        '2026-03-02T00:00:00.000Z',
        '2026-03-02T12:00:00.400Z',
      ],
    ]
    const bytes = await workbook(columnsOf(...kinds), rows)
    const sheet = read(bytes, { cellNF: true }).Sheets['production'] ?? {}
    const titles = ['', '', '', ' (h)', ' (s)', '', '', '', ''].map((unit, i) => `Column ${i}${unit}`)
    assert.deepEqual(valuesOf(bytes)['production']?.[0], titles)
    const cells = titles.map((_, i): CellObject => sheet[utils.encode_cell({ r: 1, c: i })])
    assert.deepEqual(
      cells.map(({ w }) => w),
      ['Lathe 1', '7', '2.5', '1.50', '61.50', '12.3%', '0.30', '2026-03-02', '2026-03-02 06:00:00'],
    )
    assert.deepEqual(
      cells.slice(1, 7).map(({ v }) => v),
      [7, 2.5, 1.5, 61.5, 0.12345, 0.3043478261],
    )
    assert.closeTo(Number(cells[8]?.v), 46083.25 + 0.4 / 86_400, 1e-9)
  })

  it('A German workbook has German titles, and German names of absent groups', async () => {
    const columns: FileColumn[] = [
      { name: 'machineGroup', title: 'Machine group', kind: 'text' },
      { name: 'machineGroupId', title: 'Machine group id', kind: 'text' },
      { name: 'oee', title: 'OEE', kind: 'ratio' },
      { name: 'durationMs', title: 'Duration', kind: 'ms' },
    ]
    const rows = [
      ['No Group', null, 0.5, 0],
      ['Mills', 'g-1', 0.5, 0],
    ]
    const [titles, ...values] = valuesOf(await workbook(columns, rows, { language: 'de' }))['production'] ?? []
    assert.deepEqual(titles, ['Maschinengruppe', 'Maschinengruppe, Id', 'OEE', 'Dauer (h)'])
    assert.deepEqual(values, [
      ['Ohne Gruppe', null, 0.5, 0],
      ['Mills', 'g-1', 0.5, 0],
    ])
  })

  it('A workbook has instants in the time zone of the company, also across a change to daylight saving time', async () => {
    const shown = async (instant: string | number, timeZone?: string) => (await cellOf('instant', instant, timeZone))?.w
    assert.equal(await shown('2026-03-08T07:59:59.000Z'), '2026-03-08 01:59:59')
    assert.equal(await shown('2026-03-08T08:00:00.000Z'), '2026-03-08 03:00:00')
    assert.equal(await shown(Date.parse('2026-07-01T12:00:00Z')), '2026-07-01 07:00:00')
    assert.equal(await shown('2026-07-01T12:00:00.000Z', 'Asia/Kathmandu'), '2026-07-01 17:45:00')
  })

  it('A cell of a workbook without a value is empty, whatever its kind', async () => {
    for (const kind of ['ms', 'ratio', 'rate', 'msPerPart', 'number', 'integer', 'instant', 'date', 'text'] as const)
      assert.isUndefined(await cellOf(kind, null), kind)
  })

  it('A workbook contains a value that is not a number as a text, and also an id with more digits than a spreadsheet keeps', async () => {
    assert.include(await cellOf('integer', '1234567890123456789'), { t: 's', v: '1234567890123456789' })
    assert.include(await cellOf('integer', 123_456_789_012_345), { t: 'n', v: 123_456_789_012_345 })
    assert.include(await cellOf('number', 'many'), { t: 's', v: 'many' })
    assert.include(await cellOf('instant', '1899-01-01T00:00:00.000Z'), { t: 's' })
  })

  it('A text of a workbook is cut at the length that Excel opens', async () => {
    const cell = await cellOf('text', 'x'.repeat(40_000))
    assert.lengthOf(String(cell?.v), 32_767)
  })

  it('A workbook without rows has its titles', async () => {
    assert.deepEqual(valuesOf(await workbook(columnsOf('text', 'ms'), [])), {
      production: [['Column 0', 'Column 1 (h)']],
    })
  })

  it('Rows beyond the limit of a sheet continue in further sheets with the same titles', async () => {
    const rows = Array.from({ length: 7 }, (_, i) => [i])
    const bytes = await workbook(columnsOf('integer'), rows, { maxRows: 4 })
    assert.deepEqual(valuesOf(bytes), {
      production: [['Column 0'], [0], [1], [2]],
      'production 2': [['Column 0'], [3], [4], [5]],
      'production 3': [['Column 0'], [6]],
    })
    const full = await workbook(columnsOf('integer'), rows.slice(0, 6), { maxRows: 4 })
    assert.hasAllKeys(valuesOf(full), ['production', 'production 2'])
  })

  it('SheetJS reads every text of a workbook unchanged, and no formula', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(texts, texts), { minLength: 1, maxLength: 20 }), async given => {
        const rows = given.map(row => row.map(readable))
        const bytes = await workbook(columnsOf('text', 'text'), rows)
        const sheet = read(bytes, { cellFormula: true, dense: false }).Sheets['production'] ?? {}
        for (const [i, row] of rows.entries())
          for (const [j, text] of row.entries()) {
            const cell: CellObject | undefined = sheet[`${'AB'[j]}${i + 2}`]
            if (text === '') assert.isUndefined(cell)
            else assert.include(cell, { t: 's', v: text.replaceAll('\r\n', '\n') }) // as SheetJS reads it
          }
        assert.notMatch(sheetXml(bytes), /<f[ >]/)
      }),
      { numRuns: 200 },
    ))

  it('openpyxl reads the values, dates and texts of a workbook, and no formula', async function () {
    const columns = columnsOf('text', 'instant', 'date', 'ms', 'ratio', 'integer')
    const given = [
      '=1+1',
      '+1',
      '-5',
      '@x',
      '=HYPERLINK("http://x","y")',
      ' x ',
      '<f>1</f>',
      '&amp;',
      'a\nb',
      'Fräse № 5',
      '😀',
    ]
    const rows = given.map((text, i): FileTableRow => [
      text,
      '2026-07-01T12:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
      5_400_000,
      i === 0 ? null : 0.5,
      i,
    ])
    const path = join(folder, 'book.xlsx')
    writeFileSync(path, await workbook(columns, rows))
    const script = `
import json, sys, openpyxl
sheet = openpyxl.load_workbook(sys.argv[1])['production']
print(json.dumps([[[cell.data_type, str(cell.value), cell.number_format] for cell in row] for row in sheet.iter_rows()]))`
    const read: string[][][] = JSON.parse(await runPython(this, ['openpyxl==3.1.5'], script, [path]))
    assert.deepEqual(
      read[0]?.map(([, value]) => value),
      ['Column 0', 'Column 1', 'Column 2', 'Column 3 (h)', 'Column 4', 'Column 5'],
    )
    const expected = given.map((text, i) => [
      ['s', text, '@'],
      ['d', '2026-07-01 07:00:00', 'yyyy\\-mm\\-dd\\ hh:mm:ss'],
      ['d', '2026-03-02 00:00:00', 'yyyy\\-mm\\-dd'],
      ['n', '1.5', '0.00'],
      i === 0 ? ['n', 'None', 'General'] : ['n', '0.5', '0.0%'],
      ['n', String(i), '0'],
    ])
    assert.deepEqual(read.slice(1), expected)
  })

  it('Reading a workbook fails if its stored file is missing', async () => {
    const options = { path: join(folder, 'missing'), columns: columnsOf('text'), reader, sheetName: 'alarm' }
    const failure: unknown = await buffer(readWorkbook(options)).catch((error: unknown) => error)
    assert.match(String(failure), /ENOENT/)
  })

  it('Reading a workbook stops, and closes its stored file, when its reader disconnects', async () => {
    const path = join(folder, String(++files))
    const columns = columnsOf('text')
    const rows = Array.from({ length: 200_000 }, (_, i) => [`a row with some text ${i}`])
    await writeTextRows(path, { columns, rows }, { format: 'xlsx' })
    const before = openFilesOf(path)
    const content = readWorkbook({ path, columns, reader, sheetName: 'alarm' })
    for await (const _ of content) break
    assert.isTrue(content.destroyed)
    while (openFilesOf(path) > before) await nextTurn()
  })
})

/** A text without what XML cannot contain: it is replaced. */
function readable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are searched
  return text.replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|\p{Surrogate}/gu, '\uFFFD')
}

function sheetXml(bytes: Buffer): string {
  return Buffer.from(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? []).toString('utf8')
}

/** Number of descriptors of this process that are open for a file. */
function openFilesOf(path: string): number {
  const descriptors = '/proc/self/fd'
  return readdirSync(descriptors).filter(name => {
    try {
      return readlinkSync(join(descriptors, name)) === path
    } catch {
      return false // closed meanwhile
    }
  }).length
}
