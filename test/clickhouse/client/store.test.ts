import { expect } from 'chai'
import { strict as assert } from 'node:assert'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import * as fc from 'fast-check'
import {
  array,
  float64,
  dateTime64,
  int64,
  join,
  second,
  sql,
  str,
  uint32,
  uint64,
} from '../../../clickhouse/sql/sql.ts'
import {
  int64Column,
  lowCardinalityColumn,
  nativeRows,
  nullableInt64Column,
  StringColumn,
  uint32Column,
} from '../../../clickhouse/client/native-block.ts'
import { StoreError } from '../../../clickhouse/client/store.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { emptyDatabase, storeKinds } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

const nasty = "q'\"\\ \n\t\r\0\b\f é 漢 🚀 \\N \\' {p0:String} `x` ; -- */ %s"

for (const kind of storeKinds) {
  describe(`store on ${kind}`, () => {
    let database: TestDatabase
    let store: Store
    before(async () => {
      database = await emptyDatabase(kind)
      store = database.store
    })
    after(() => database.drop())

    it('Rows are returned as objects or as columns', async () => {
      const query = sql`SELECT number AS n, concat('x', toString(number)) AS s FROM numbers(3) ORDER BY n`
      expect(await store.query(query)).to.deep.equal([
        { n: '0', s: 'x0' },
        { n: '1', s: 'x1' },
        { n: '2', s: 'x2' },
      ])
      expect(await store.columns(query)).to.deep.equal([
        ['0', '1', '2'],
        ['x0', 'x1', 'x2'],
      ])
    })

    it('Numbers are returned as typed arrays, also from several blocks', async () => {
      const rows = 200_000
      const query = sql`
        SELECT toUInt32(number) AS a, toUInt8(number % 7) AS b, toInt32(-number) AS c, number / 3 AS d,
          arrayMap(x -> toUInt32(x), range(number % 3)) AS e
        FROM numbers(${uint32(rows)}) ORDER BY a`
      const columns = await store.numbers(query, ['a', 'b', 'c', 'd', 'e'])
      const [a, b, c, d, e] = columns
      expect([a, b, c, d].map(column => column?.constructor)).to.deep.equal([
        Uint32Array,
        Uint8Array,
        Int32Array,
        Float64Array,
      ])
      expect(columns.map(({ length }) => length)).to.deep.equal(Array(5).fill(rows))
      for (const i of [0, 1, 2, 65_408, 65_409, 65_410, rows - 1]) {
        const row = [i, i % 7, 0 - i, i / 3, Array.from({ length: i % 3 }, (_, at) => at)]
        expect([a?.[i], b?.[i], c?.[i], d?.[i], e?.[i]]).to.deep.equal(row)
      }
      expect(await store.numbers(sql`SELECT toUInt32(1) AS a WHERE 0`, ['a'])).to.satisfy(
        (none: readonly { readonly length: number }[]) => none.every(({ length }) => length === 0),
      )
    })

    it('`numbers` rejects results with other column names than requested', async () => {
      for (const names of [['b'], ['a', 'b'], []]) {
        const refused: unknown = await store
          .numbers(sql`SELECT toUInt32(1) AS a`, names)
          .catch((error: unknown) => error)
        expect(refused).to.be.instanceOf(TypeError)
      }
    })

    it('`numbers` rejects columns that are not numeric', async () => {
      const refused: unknown = await store.numbers(sql`SELECT 'text' AS a`, ['a']).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(TypeError)
    })

    it('An empty result is an empty array of rows or empty columns', async () => {
      expect(await store.query(sql`SELECT 1 WHERE 0`)).to.deep.equal([])
      expect(await store.columns(sql`SELECT 1 AS a, 2 AS b WHERE 0`)).to.deep.equal([[], []])
    })

    it('Parameters of every type reach the store unchanged', async () => {
      const [row] = await store.query(sql`SELECT
        ${uint32(4294967295)} AS a, ${uint64(2n ** 64n - 1n)} AS b, ${int64('-9223372036854775808')} AS c,
        ${float64(-1.5e-7)} AS d, ${dateTime64(1_767_225_600_123)} AS e, ${second(1_767_225_600_999)} AS f,
        ${array(uint64, [2n ** 64n - 1n])} AS g, ${array(uint32, [])} AS h, ${array(dateTime64, [0, 1])} AS i`)
      expect(row).to.deep.equal({
        a: 4294967295,
        b: '18446744073709551615',
        c: '-9223372036854775808',
        d: -1.5e-7,
        e: '2026-01-01 00:00:00.123',
        f: '2026-01-01 00:00:00',
        g: ['18446744073709551615'],
        h: [],
        i: ['1970-01-01 00:00:00.000', '1970-01-01 00:00:00.001'],
      })
    })

    it('Quotes, backslashes, line ends, NUL and other scripts reach the store unchanged', async () => {
      const texts = [nasty, '', '\\N', 'NULL', "','", '[]', '\\', "\\'"]
      for (const text of texts) {
        const [row] = await store.query(sql`SELECT ${str(text)} AS text, hex(${str(text)}) AS bytes`)
        expect(row).to.deep.equal({ text, bytes: Buffer.from(text).toString('hex').toUpperCase() })
      }
      expect(await store.columns(sql`SELECT ${array(str, texts)}`)).to.deep.equal([[texts]])
    })

    it('Any string reaches the store unchanged, as a value and in an array', async () => {
      const anyText = fc.string({
        unit: fc.oneof(
          fc.constantFrom(...Array.from(nasty)),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        ),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 5 }), async texts => {
          const [first = ''] = texts
          expect(await store.columns(sql`SELECT ${str(first)}, ${array(str, texts)}`)).to.deep.equal([[first], [texts]])
        }),
        { numRuns: 40 },
      )
    })

    it('Every kind of statement accepts an array parameter of 100,000 integers', async () => {
      const refs = Array.from({ length: 100_000 }, (_, i) => i + 1_000_000)
      const counting = sql`SELECT toUInt32(count()) AS n FROM numbers(2000000) WHERE number IN ${array(uint32, refs)}`
      expect(await store.columns<[number[]]>(counting)).to.deep.equal([[100_000]])
      expect((await store.numbers(counting, ['n'])).map(([n]) => n)).to.deep.equal([100_000])
      expect(await text(Readable.from(store.stream(counting, 'CSV')))).to.equal('100000\n')
      const folder = mkdtempSync(path.join(tmpdir(), 'takt-store-'))
      const file = path.join(folder, 'counts')
      await store.writeFile(counting, 'CustomSeparatedWithNames', file)
      expect(readFileSync(file, 'utf8')).to.match(/^n\s+100000\s*$/)
      rmSync(folder, { recursive: true })
      await store.command(sql`CREATE TABLE counts ENGINE = MergeTree ORDER BY n AS ${counting}`)
      await store.command(sql`INSERT INTO counts ${counting}`)
      expect(await store.columns(sql`SELECT n FROM counts`)).to.deep.equal([[100_000, 100_000]])
    })

    it('A long string with any characters reaches the store unchanged', async () => {
      const long = nasty.repeat(10_000)
      expect(await store.columns(sql`SELECT ${str(long)}, ${array(str, [long, nasty])}`)).to.deep.equal([
        [long],
        [[long, nasty]],
      ])
    })

    it('The settings of a query do not apply to later queries', async () => {
      const setting = sql`SELECT getSetting('max_threads') AS threads, getSetting('log_comment') AS comment`
      const [before] = await store.query(setting)
      const inside = await store.query(setting, { settings: { max_threads: 7 }, logComment: "it's" })
      expect(inside).to.deep.equal([{ threads: 7, comment: "it's" }])
      for (let i = 0; i < 4; i++) expect(await store.query(setting)).to.deep.equal([before])
    })

    it('The settings of a query apply to all parts of a UNION', async () => {
      const part = sql`SELECT toUInt8(getSetting('max_threads')) AS threads`
      const [threads] = await store.columns<[number[]]>(join([part, part], sql` UNION ALL `), {
        settings: { max_threads: 7 },
      })
      expect(threads).to.deep.equal([7, 7])
    })

    it('Rows are readable once their insert has resolved', async () => {
      await store.command(sql`CREATE TABLE t (a UInt64, b String, c Array(String)) ENGINE = MergeTree ORDER BY a`)
      const rows = [
        ['18446744073709551615', nasty, [nasty, '']],
        ['1', '', []],
      ]
      await store.insert('t', ['a', 'b', 'c'], rows.map(row => JSON.stringify(row)).join('\n'))
      expect(await store.columns(sql`SELECT a, b, c FROM t ORDER BY a DESC`)).to.deep.equal([
        ['18446744073709551615', '1'],
        [nasty, ''],
        [[nasty, ''], []],
      ])
      await store.insert('t', ['a'], '')
      await store.insert('t', ['a'], Buffer.from('[2]\n[3]\n'))
      expect(await store.columns(sql`SELECT count() FROM t`)).to.deep.equal([['4']])
    })

    it('Rows inserted as columns are read back unchanged, with any content and 70,000 distinct names', async () => {
      await store.command(sql`
        CREATE TABLE columns (
          i UInt32, wide Int64, name LowCardinality(String), text String, number Nullable(Int64), spare String DEFAULT 'spare'
        ) ENGINE = MergeTree ORDER BY i`)
      const most = Number.MAX_SAFE_INTEGER
      let next = 0
      for (const names of [2, 256, 257, 70_000]) {
        const ids = Array.from({ length: names }, (_, i) => next + i)
        const texts = new StringColumn(1)
        for (const id of ids) texts.push(id % 3 === 0 ? nasty.repeat(9) : id % 3 === 1 ? `${id}` : `\ud800 ${id}`)
        const wide = Float64Array.from(ids, id => [most, -most, -1, 0x1_0000_0000, -id][id % 5] ?? 0)
        const columns = [
          uint32Column('i', Uint32Array.from(ids)),
          int64Column('wide', wide),
          lowCardinalityColumn(
            'name',
            ids.map(id => `name ${id - next} é`),
            Uint32Array.from(ids, id => names - 1 - (id - next)),
          ),
          texts.column('text'),
          nullableInt64Column(
            'number',
            wide,
            Uint8Array.from(ids, id => id % 2),
          ),
        ]
        await store.insertNative('columns', nativeRows(names, columns))
        const found = await store.columns(sql`
          SELECT i, wide, name, text, number, spare FROM columns WHERE i >= ${uint32(next)} ORDER BY i`)
        assert.deepEqual(found, [
          ids,
          [...wide].map(String),
          ids.map(id => `name ${names - 1 - (id - next)} é`),
          ids.map(id => (id % 3 === 0 ? nasty.repeat(9) : id % 3 === 1 ? `${id}` : `\ufffd ${id}`)),
          ids.map((id, i) => (id % 2 === 1 ? null : String(wide[i]))),
          ids.map(() => 'spare'),
        ])
        next += names
      }
      await store.insertNative('columns', nativeRows(0, [uint32Column('i', new Uint32Array(0))]))
      const wrong = nativeRows(1, [uint32Column('missing', new Uint32Array(1))])
      expect(await errorOf(store.insertNative('columns', wrong))).to.include({ type: 'NO_SUCH_COLUMN_IN_TABLE' })
      expect(await store.columns(sql`SELECT count() FROM columns`)).to.deep.equal([[String(next)]])
    })

    it('One insert can write to 300 months', async () => {
      await store.command(sql`CREATE TABLE months (a UInt32) ENGINE = MergeTree PARTITION BY a ORDER BY a`)
      await store.insert('months', ['a'], Array.from({ length: 300 }, (_, i) => `[${i}]`).join('\n'))
      expect(await store.columns(sql`SELECT count() FROM months`)).to.deep.equal([['300']])
    })

    it('An insert with an invalid row is rejected as a whole, as an error that is not retryable', async () => {
      await store.command(sql`CREATE TABLE strict (a UInt32) ENGINE = MergeTree ORDER BY a`)
      const error = await errorOf(store.insert('strict', ['a'], '[1]\n["no number"]\n[2]'))
      expect(error.retryable).to.equal(false)
      expect(error.query).to.contain('strict')
      expect(await store.columns(sql`SELECT count() FROM strict`)).to.deep.equal([['0']])
    })

    it('An insert whose rows are cut off is rejected as a whole, as an error that is retryable', async () => {
      await store.command(sql`CREATE TABLE cut (i UInt32) ENGINE = MergeTree ORDER BY i`)
      const rows = nativeRows(3, [uint32Column('i', new Uint32Array(3))])
      const error = await errorOf(store.insertNative('cut', { ...rows, bytes: rows.bytes.subarray(0, -4) }))
      expect(error).to.include({ type: 'CANNOT_READ_ALL_DATA', retryable: true })
      expect(await store.columns(sql`SELECT count() FROM cut`)).to.deep.equal([['0']])
    })

    it('Errors have a code, a type and the SQL', async () => {
      const unknown = await errorOf(store.query(sql`SELECT * FROM missing WHERE a = ${str('x')}`))
      expect(unknown).to.include({ code: 60, type: 'UNKNOWN_TABLE', retryable: true })
      expect(unknown.query).to.contain('{p0:String}')
      const syntax = await errorOf(store.query(sql`SELEC 1`))
      expect(syntax).to.include({ code: 62, type: 'SYNTAX_ERROR', retryable: false })
      const late = sql`SELECT throwIf(number = 3000000) FROM numbers(4000000)`
      expect(await errorOf(store.columns(late))).to.include({ code: 395, retryable: false })
      const limited = await errorOf(
        store.query(sql`SELECT count() FROM numbers(100000000) WHERE sipHash64(number) = 1`, {
          settings: { max_rows_to_read: 1000 },
        }),
      )
      expect(limited).to.include({ code: 158, type: 'TOO_MANY_ROWS', retryable: false })
    })

    it('An aborted signal ends a query with ABORTED', async () => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 50)
      const error = await errorOf(store.query(sql`SELECT sleep(1)`, { signal: controller.signal }))
      expect(error).to.include({ type: 'ABORTED', retryable: false })
      expect(await errorOf(store.query(sql`SELECT 1`, { signal: AbortSignal.abort() }))).to.include({ type: 'ABORTED' })
      expect(await store.columns(sql`SELECT 1`)).to.deep.equal([[1]])
    })

    it('A result of 500,000 rows is streamed in several chunks', async () => {
      const lines = { count: 0, bytes: 0, chunks: 0 }
      for await (const chunk of store.stream(sql`SELECT number, ${str('a,"b')} FROM numbers(500000)`, 'CSV')) {
        lines.chunks++
        lines.bytes += chunk.length
        for (const byte of chunk) if (byte === 10) lines.count++
      }
      expect(lines.count).to.equal(500_000)
      expect(lines.chunks).to.be.greaterThan(1)
    })

    it('A stream can be stopped, and a late error fails the stream', async () => {
      for await (const chunk of store.stream(sql`SELECT number FROM numbers(10000000)`, 'CSV')) {
        expect(chunk.length).to.be.greaterThan(0)
        break
      }
      const failing = sql`SELECT throwIf(number = 3000000) FROM numbers(4000000)`
      expect(await errorOf(drain(store.stream(failing, 'CSV')))).to.be.instanceOf(StoreError)
      expect(await store.columns(sql`SELECT 1`)).to.deep.equal([[1]])
    })

    it('A short query finishes while a report runs', async () => {
      let isDone = false
      const slow = store.query(sql`SELECT sleep(0.9)`).then(() => (isDone = true))
      await store.columns(sql`SELECT ${uint32(1)}`, { workload: 'process' })
      await store.columns(sql`SELECT ${uint32(1)}`)
      expect(isDone).to.equal(false)
      await slow
    })

    it('An insert of records finishes while long inserts of samples run', async () => {
      await store.command(sql`CREATE TABLE waited (n UInt8) ENGINE = MergeTree ORDER BY n`)
      let isDone = false
      const slow = [1, 2].map(() => store.command(sql`INSERT INTO waited SELECT sleep(1.5)`))
      const first = Promise.race(slow).then(() => (isDone = true))
      await store.insert('waited', ['n'], '[7]', { workload: 'records' })
      expect(isDone).to.equal(false)
      await Promise.all([first, ...slow])
      expect(await store.columns(sql`SELECT n FROM waited ORDER BY n`)).to.deep.equal([[0, 0, 7]])
    })

    it('A look-up finishes while long inserts of records run', async () => {
      await store.command(sql`CREATE TABLE looked_up (n UInt8) ENGINE = MergeTree ORDER BY n`)
      let isDone = false
      const slow = [1, 2].map(() =>
        store.command(sql`INSERT INTO looked_up SELECT sleep(1.5)`, { workload: 'records' }),
      )
      const first = Promise.race(slow).then(() => (isDone = true))
      await store.columns(sql`SELECT n FROM looked_up`, { workload: 'lookup' })
      expect(isDone).to.equal(false)
      await Promise.all([first, ...slow])
    })

    it('Concurrent queries each use their own parameters', async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, i) => store.columns<[number[]]>(sql`SELECT ${uint32(i)}`)),
      )
      expect(answers.map(([[value]]) => value)).to.deep.equal(Array.from({ length: 30 }, (_, i) => i))
    })

    it('The store responds to a ping', () => store.ping())

    it('Compilation of expressions to machine code is off for every workload', async () => {
      const names = ['compile_expressions', 'compile_aggregate_expressions', 'compile_sort_description']
      const settings = join(names.map(name => sql`toUInt8(getSetting(${str(name)}))`))
      for (const workload of ['report', 'process', 'records', 'lookup', 'write'] as const)
        expect(await store.columns<number[][]>(sql`SELECT ${settings}`, { workload })).to.deep.equal([[0], [0], [0]])
    })

    if (kind === 'embedded')
      it('The mark caches of the embedded engine are limited to 200 MB', async () => {
        const [bytes] = await store.columns<[number[]]>(
          sql`SELECT toFloat64(value) FROM system.server_settings WHERE name IN ('mark_cache_size', 'index_mark_cache_size')`,
        )
        expect(bytes).to.have.length(2)
        expect(Math.max(...bytes)).to.be.lessThan(200_000_000)
      })

    if (kind === 'embedded')
      it('The embedded engine compares its memory with that of the system once a second', async () => {
        const setting = sql`SELECT toFloat64(value) FROM system.server_settings WHERE name = 'memory_worker_period_ms'`
        expect(await store.columns<[number[]]>(setting)).to.deep.equal([[1000]])
      })
  })
}

async function drain(chunks: AsyncIterable<Buffer>): Promise<number> {
  let length = 0
  for await (const chunk of chunks) length += chunk.length
  return length
}

async function errorOf(work: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await work.then(
    () => new Error('It succeeded'),
    (error: unknown) => error,
  )
  if (!(error instanceof StoreError)) throw error
  return error
}
