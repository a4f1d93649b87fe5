import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { assert } from 'chai'
import * as fc from 'fast-check'
import { readLocalized } from '../../../api/files/localized-csv.ts'
import type { FileReader } from '../../../api/files/display-values.ts'
import { withoutFormula } from '../../../shared/csv-text.ts'
import { withoutFormulas } from './without-formulas.ts'
import type { Cell, FileColumn, ColumnKind, FileTableRow } from '../../../api/files/table.ts'
import { writeTextRows } from '../../../api/files/text-rows.ts'
import { parseRfc4180 } from '../../support/rfc4180.ts'

const folder = mkdtempSync(join(tmpdir(), 'takt-csv-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0

function columnsOf(...kinds: readonly ColumnKind[]): FileColumn[] {
  return kinds.map((kind, i) => ({ name: `c${i}`, title: `Column ${i}`, kind }))
}

async function written(columns: readonly FileColumn[], rows: Iterable<FileTableRow>): Promise<string> {
  const path = join(folder, String(++files))
  await writeTextRows(path, { columns, rows })
  return path
}

async function csvOf(columns: readonly FileColumn[], rows: readonly FileTableRow[]): Promise<string> {
  return readFileSync(await written(columns, rows), 'utf8')
}

function english(timeZone: string): FileReader {
  return { timeZone, language: 'en' }
}

async function localized(kind: ColumnKind, cell: Cell, reader = english('America/Chicago')): Promise<string> {
  const columns = columnsOf('text', kind)
  const path = await written(columns, [['x', cell]])
  return parseRfc4180(await text(readLocalized(path, columns, reader)))[1]?.[1] ?? ''
}

const cell = fc.oneof(
  fc.string({ unit: 'binary' }).map(value => value.replaceAll('\0', '')),
  fc.constantFrom(
    '',
    '"',
    '""',
    ',',
    '\n',
    '\r\n',
    '\r',
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\tx',
    'a;=1',
    'a\t @x',
    'a\r\n"=1',
    '  ＝1',
    'Fräsmaschine № 5',
    ' x ',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constant(null),
)

describe('CSV files', () => {
  it('A CSV file follows RFC 4180: a header, CRLF, and empty cells for null', async () => {
    const csv = await csvOf(columnsOf('text', 'number', 'ms'), [
      ['Lathe, old "L1"', 0.5, null],
      ['Fräse', -3, 7],
    ])
    assert.equal(csv, 'c0,c1,c2\r\n"Lathe, old ""L1""",0.5,\r\nFräse,-3,7\r\n')
  })

  it('A CSV file without rows has a header', async () => {
    assert.equal(await csvOf(columnsOf('text', 'ms'), []), 'c0,c1\r\n')
  })

  it('A parser of RFC 4180 reads every written cell unchanged', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { maxLength: 20 }), async rows => {
        const [header, ...read] = parseRfc4180(await csvOf(columnsOf('text', 'number', 'ms'), rows))
        assert.deepEqual(header, ['c0', 'c1', 'c2'])
        assert.deepEqual(
          read,
          rows.map(row => row.map(expectedText)),
        )
      }),
      { numRuns: 200 },
    ))

  it('No text in a CSV file is a formula in a spreadsheet', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell), { maxLength: 20 }), async rows => {
        const [, ...read] = parseRfc4180(await csvOf(columnsOf('text'), rows))
        read.forEach(([value = ''], i) => {
          if (typeof rows[i]?.[0] === 'string') assert.notMatch(value, /^[=+\-@\t\r]/)
          for (const piece of typeof rows[i]?.[0] === 'string' ? value.split(/[;\t\r\n]/) : [])
            assert.notMatch(piece, /^(?!')[\s\p{Cc}\p{Cf}"'`]*[=+\-@＝＋－＠]/u)
        })
      }),
      { numRuns: 300 },
    ))

  const formulas: Readonly<Record<string, string>> = {
    '=1+1': `'=1+1`,
    'a=1': 'a=1',
    '  =1': `'  =1`,
    '\u00a0\ufeff@x': `'\u00a0\ufeff@x`,
    '"=1"': `'"=1"`,
    '＝1': `'＝1`,
    '＠x': `'＠x`,
    'Tool;=cmd()': `Tool;'=cmd()`,
    'Tool; "+1': `Tool;' "+1`,
    'Tool\t=1': `Tool\t'=1`,
    'Tool\r\n=1;-2': `Tool\r\n'=1;'-2`,
    'Tool 5-7; 8': 'Tool 5-7; 8',
    '\t': `'\t`,
    '\rx': `'\rx`,
    '\n=1': `'\n'=1`,
  }
  for (const [given, expected] of Object.entries(formulas))
    it(`A CSV file contains ${JSON.stringify(given)} as ${JSON.stringify(expected)}`, async () => {
      const [, [value] = []] = parseRfc4180(await csvOf(columnsOf('text'), [[given]]))
      assert.equal(value, expected)
    })

  it('Escaping formulas in a text takes linear time', () => {
    const startMs = performance.now()
    assert.lengthOf(withoutFormula('\t '.repeat(500_000) + '='), 1_000_003)
    assert.lengthOf(withoutFormula(' '.repeat(1_000_000) + 'x='), 1_000_002)
    assert.isBelow(performance.now() - startMs, 5000)
  })

  it('In a CSV file a negative number is unchanged, and a text that looks like one is escaped', async () => {
    assert.equal(await csvOf(columnsOf('number', 'text'), [[-5, '-5']]), `c0,c1\r\n-5,'-5\r\n`)
  })

  it('Writing a CSV file fails if reading its rows fails', async () => {
    const failing = function* (): Generator<FileTableRow> {
      yield [1]
      throw new Error('the store is gone')
    }
    const failure: unknown = await written(columnsOf('number'), failing()).catch((error: unknown) => error)
    assert.match(String(failure), /the store is gone/)
  })

  it('Writing a CSV file stops when its caller disconnects', async () => {
    const abort = new AbortController()
    let given = 0
    const endless = function* (): Generator<FileTableRow> {
      for (;;) {
        if (++given === 1000) abort.abort()
        yield [given]
      }
    }
    const path = join(folder, String(++files))
    const failure: unknown = await writeTextRows(
      path,
      { columns: columnsOf('number'), rows: endless() },
      { signal: abort.signal },
    ).catch((error: unknown) => error)
    assert.instanceOf(failure, Error)
    assert.isBelow(given, 100_000)
  })
})

describe('localized CSV files', () => {
  it('The titles of a localized CSV file have units', async () => {
    const columns = columnsOf('text', 'ms', 'ratio', 'msPerPart', 'instant')
    const path = await written(columns, [])
    const csv = await text(readLocalized(path, columns, english('UTC')))
    assert.equal(csv, 'Column 0,Column 1 (h),Column 2 (%),Column 3 (s),Column 4\r\n')
  })

  it('A localized CSV file begins with a byte order mark, and the stored file does not', async () => {
    const columns = columnsOf('text')
    const path = await written(columns, [['Fr\u00e4se 1']])
    const bytes = await buffer(readLocalized(path, columns, english('UTC')))
    assert.equal(bytes.toString('utf8'), '\uFEFFColumn 0\r\nFr\u00e4se 1\r\n')
    assert.notEqual(readFileSync(path).readUInt8(0), 0xef)
  })

  it('A localized CSV file has hours and rates with two decimals, and percentages with one', async () => {
    assert.equal(await localized('rate', 0.3043478261), '0.30')
    assert.equal(await localized('rate', 7), '7.00')
    assert.equal(await localized('ms', 3_600_000 * 1.5), '1.50')
    assert.equal(await localized('ms', 0), '0.00')
    assert.equal(await localized('ratio', 0.12345), '12.3')
    assert.equal(await localized('ratio', 1), '100.0')
    assert.equal(await localized('msPerPart', 61_500), '61.50')
    assert.equal(await localized('number', 7), '7')
    for (const kind of ['ms', 'ratio', 'rate', 'msPerPart', 'number', 'instant', 'date', 'text'] as const)
      assert.equal(await localized(kind, null), '', kind)
  })

  it('A localized CSV file has instants in the time zone of the company, also across a change to daylight saving time', async () => {
    assert.equal(await localized('instant', '2026-03-08T07:59:59.000Z'), '2026-03-08 01:59:59')
    assert.equal(await localized('instant', '2026-03-08T08:00:00.000Z'), '2026-03-08 03:00:00')
    assert.equal(await localized('instant', Date.parse('2026-07-01T12:00:00Z')), '2026-07-01 07:00:00')
    assert.equal(
      await localized('instant', '2026-07-01T12:00:00.000Z', english('Asia/Kathmandu')),
      '2026-07-01 17:45:00',
    )
  })

  it('A localized CSV file has shop dates unchanged in every time zone', async () => {
    assert.equal(await localized('date', '2026-03-02T00:00:00.000Z'), '2026-03-02')
    assert.equal(await localized('date', '2026-03-02T00:00:00.000Z', english('Pacific/Kiritimati')), '2026-03-02')
  })

  it('A localized CSV file has texts unchanged', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string({ unit: 'binary' }), cell), { minLength: 1 }), async rows => {
        const columns = columnsOf('text', 'number')
        const given = rows.map(([first, second]) => [first.replaceAll('\0', ''), second])
        const path = await written(columns, given)
        const read = parseRfc4180(await text(readLocalized(path, columns, english('UTC')))).slice(1)
        assert.deepEqual(
          read,
          given.map(row => row.map(expectedText)),
        )
      }),
      { examples: [[[['\v', '']]], [[[' M 1 ', 1]]]] },
    ))

  it('A German CSV file has German titles, semicolons and decimal commas', async () => {
    const columns: FileColumn[] = [
      { name: 'machine', title: 'Machine', kind: 'text' },
      { name: 'timeInCycle', title: 'Time in cycle', kind: 'ms' },
      { name: 'goodParts', title: 'Good parts', kind: 'number' },
      { name: 'oee', title: 'OEE', kind: 'ratio' },
      { name: 'partsPerHour', title: 'Rate', kind: 'rate' },
      { name: 'dayStart', title: 'Day start', kind: 'instant' },
    ]
    const path = await written(columns, [
      ['Fräse 1.5, alt; "A"', 5_400_000, -2.5, 0.12345, 7, '2026-07-01T12:00:00.000Z'],
      ['=1,5', null, 1e-7, null, null, null],
    ])
    const csv = await text(readLocalized(path, columns, { timeZone: 'Europe/Berlin', language: 'de' }))
    assert.deepEqual(csv.split('\r\n'), [
      'Maschine;Zeit im Zyklus (h);Gutteile;OEE (%);Rate;Tag, Beginn',
      '"Fräse 1.5, alt; ""A""";1,50;-2,5;12,3;7,00;2026-07-01 14:00:00',
      "'=1,5;;1e-7;;;",
      '',
    ])
  })

  it('A German CSV file has German names of groups without a record, and no other ones', async () => {
    const columns = ['operator', 'operatorId', 'reason', 'reasonId', 'alarm'].map((name): FileColumn => ({
      name,
      title: name,
      kind: 'text',
    }))
    const path = await written(columns, [
      ['No Operator', null, 'Uncategorized', 'uncategorized', ''],
      ['No Operator', 'o-1', 'Setup', '7', 'No Operator'],
    ])
    const csv = await text(readLocalized(path, columns, { timeZone: 'UTC', language: 'de' }))
    assert.deepEqual(csv.split('\r\n').slice(1), [
      'Ohne Bediener;;Nicht kategorisiert;uncategorized;',
      'No Operator;o-1;Setup;7;No Operator',
      '',
    ])
  })

  it('Reading a localized CSV file fails if its stored file is missing', async () => {
    const failure: unknown = await text(
      readLocalized(join(folder, 'missing'), columnsOf('text'), english('UTC')),
    ).catch((error: unknown) => error)
    assert.match(String(failure), /ENOENT/)
  })
})

function expectedText(value: Cell | undefined): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value)
  return withoutFormulas(value)
}
