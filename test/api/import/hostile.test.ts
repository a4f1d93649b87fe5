import { assert } from 'chai'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { startApi, type TestAnswer, type TestApi } from '../../support/api.ts'
import { watchChildren } from './watch-children.ts'
import { importFile, sample, workbook } from './form.ts'

const limitBytes = 8 << 20
/** Limit in bytes of this process's growth: the parser of CSV runs in it. */
const maxGrowth = 300 << 20
/** Limit in bytes of a process that reads a workbook. */
const maxOfReader = 1000 * (1 << 20)
/**
 * Limit of CPU time: a reader with quadratic time in a file's size needs a minute and more. Most need one to three
 * seconds; counting coverage makes nine of three.
 */
const maxCpuMs = 30_000

describe('hostile import files', function () {
  let api: TestApi
  let folder: string

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-hostile-'))
    api = await startApi({ settings: { uploads: { folder, limitBytes } } })
    await importFile(api, 'name\nJ1\n')
  })
  /** Posts content that was created before, so that its creation is not measured. */
  const post = async (content: string | Uint8Array, sent?: Parameters<typeof importFile>[2]): Promise<TestAnswer> => {
    // Its creation may outlast the idle connection: the client must notice the closed connection first.
    await sleep(100)
    const stopWatching = watchChildren()
    const rssBefore = process.memoryUsage.rss()
    const cpuBefore = process.cpuUsage()
    const answer = await importFile(api, content, sent)
    const { user, system } = process.cpuUsage(cpuBefore)
    const reader = stopWatching()
    assert.isBelow(reader.peakBytes, maxOfReader)
    assert.isBelow(process.memoryUsage.rss() - rssBefore, maxGrowth)
    assert.isBelow((user + system) / 1000 + reader.cpuMs, maxCpuMs)
    return answer
  }
  afterEach(async () => {
    assert.lengthOf(api.registrar.records.list('jobOperation', api.registrar.company.id), 1, 'nothing was applied')
    assert.equal((await api.call('GET', '/health', undefined, { key: null })).status, 200)
  })
  after(async () => {
    await api.close()
    for (let tries = 0; readdirSync(folder).length > 0 && tries < 1_000; tries++) await sleep(10)
    assert.deepEqual(readdirSync(folder), [], 'no file stays')
    rmSync(folder, { recursive: true })
  })

  const csv: Readonly<Record<string, readonly [number, () => string | Uint8Array]>> = {
    'an empty file': [400, () => ''],
    'little-endian UTF-16': [400, () => Buffer.from('\uFEFFname\nJ2\n', 'utf16le')],
    'big-endian UTF-16': [400, () => Buffer.from('\uFEFFname\nJ2\n', 'utf16le').swap16()],
    'UTF-16 without a byte order mark': [400, () => Buffer.from('name\nJ2\n', 'utf16le')],
    'a byte that Windows-1252 does not have': [400, () => Buffer.from('name\nJ\u0081rgen\n', 'latin1')],
    'UTF-8 mixed with another encoding': [400, () => Buffer.from('name\nJ\u00fcrgen,\u008f\n', 'latin1')],
    'half a character at the end': [400, () => Buffer.from('name\nJ\u00fc').subarray(0, -1)],
    'arbitrary bytes': [400, () => Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256))],
    zeros: [400, () => new Uint8Array(1 << 20)],
    'a million columns': [400, () => `name${',a'.repeat(1_000_000)}\n`],
    'very many columns in a short row': [400, () => `name${','.repeat(400_000)}\n`],
    'a quote that is never closed': [400, () => `name\n"J2${'x\n'.repeat(3_000_000)}`],
    'a quote behind a space that is never closed': [400, () => `name,part\n "${`${'x'.repeat(399)}\n`.repeat(20_000)}`],
    'a quote within a quote that is never closed': [400, () => `name\n"a"b"c\n"d\n`],
    'one line without an end': [400, () => 'name'.repeat(1_500_000)],
    'more rows than the limit': [413, () => `name\n${'J2\n'.repeat(200_001)}`],
    'empty lines': [413, () => `name\n${'\n'.repeat(3_000_000)}`],
    'more bytes than the limit': [413, () => `name\n${'J2,x\n'.repeat(limitBytes / 4)}`],
    'a workbook': [415, () => workbook([['name'], ['J2']])],
  }
  for (const [what, [status, content]] of Object.entries(csv))
    it(`A CSV import of ${what} is rejected within the memory and CPU limits`, async () =>
      expectRefusal(await post(content()), status))

  const xlsx: Readonly<Record<string, readonly [number, () => string | Uint8Array]>> = {
    'a CSV file': [415, () => sample('vendorVisual.csv')],
    'an empty file': [415, () => ''],
    'a ZIP that is not a workbook': [400, () => zipSync({ 'readme.txt': strToU8('hello') })],
    'half a workbook': [400, () => workbook([['Order'], ['J2']]).subarray(0, 3000)],
    'a cell in the last corner of the sheet': [
      400,
      () =>
        withSheet(
          '<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
        ),
    ],
    'a sheet of the largest declared size, with a row of 400,000 columns': [
      400,
      () =>
        withSheet(
          `<dimension ref="A1:XFD1048576"/><sheetData><row r="1">${'<c><v>1</v></c>'.repeat(400_000)}</row></sheetData>`,
        ),
    ],
    'a ZIP bomb of 300 MB': [413, () => withSheet('<sheetData/>', 300 << 20)],
    'a ZIP bomb with a false small size': [400, () => lyingAboutSize(withSheet('<sheetData/>', 100 << 20))],
    '200 entries that share 5 MB and declare themselves empty': [413, () => sharedEntry(200, 5 << 20)],
    'more ZIP entries than the limit': [
      413,
      () =>
        zipSync(
          Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`xl/worksheets/s${i}.xml`, new Uint8Array(0)])),
        ),
    ],
    'nested XML entities': [
      400,
      () =>
        withSheet(
          '<sheetData><row r="1"><c r="A1" t="str"><v>&a9;</v></c></row></sheetData>',
          0,
          `<!DOCTYPE x [<!ENTITY a0 "lol">${Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('')}]>`,
        ),
    ],
  }
  for (const [what, [status, content]] of Object.entries(xlsx))
    it(`A workbook import of ${what} is rejected within the memory and CPU limits`, async () =>
      expectRefusal(await post(content(), { type: 'vendorLN' }), status))

  const boundary = 'x-boundary'
  const part = (name: string, content: string, file = false) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file ? '; filename="f"' : ''}\r\n\r\n${content}\r\n`
  const good = part('csvFile', 'name\nJ2\n', true)
  const end = `--${boundary}--\r\n`
  const multipart = `multipart/form-data; boundary=${boundary}`
  const forms: Readonly<Record<string, readonly [number, string, string]>> = {
    'a body of JSON': [415, 'application/json', '{}'],
    'a bare CSV file': [415, 'text/csv', 'name\nJ2\n'],
    'the type multipart/mixed': [415, `multipart/mixed; boundary=${boundary}`, `${good}${end}`],
    'no boundary': [400, 'multipart/form-data', `${good}${end}`],
    'no end boundary': [400, multipart, good],
    'an end boundary cut off': [400, multipart, good.slice(0, -4)],
    'nested field names': [400, multipart, `${part(`a${'[b]'.repeat(30)}`, 'x')}${good}${end}`],
    'an array index of a billion': [400, multipart, `${part('a[1000000000]', 'x')}${good}${end}`],
    'a thousand fields': [400, multipart, `${part('a', 'x').repeat(1000)}${good}${end}`],
    'a long field': [400, multipart, `${part('autoArchive', 'x'.repeat(100_000))}${good}${end}`],
    'two files': [400, multipart, `${good}${good}${end}`],
    'a file of another name': [400, multipart, `${part('file', 'name\nJ2\n', true)}${end}`],
    'the file as a plain field': [400, multipart, `${part('csvFile', 'name')}${end}`],
    'a __proto__ field': [400, multipart, `${part('__proto__[x]', 'x')}${good}${end}`],
  }
  for (const [what, [status, type, raw]] of Object.entries(forms))
    it(`An import form with ${what} is rejected`, async () =>
      expectRefusal(
        await api.call('POST', '/jobs/import', undefined, { raw, headers: { 'content-type': type } }),
        status,
      ))

  it('A formula in a workbook counts as its stored result, and without a result it is an error', async () => {
    const start =
      '<sheetData><row r="1"><c r="A1" t="str"><v>Order</v></c></row><row r="2"><c r="A2" t="str"><f>1/0&amp;CMD("x")</f><v>J1</v></c></row>'
    const answer = await importFile(api, withSheet(`${start}</sheetData>`), { type: 'vendorLN' })
    assert.deepEqual([answer.status, answer.body], [200, null])
    const withoutResult = withSheet(`${start}<row r="3"><c r="A3"><f>1+1</f></c></row></sheetData>`)
    expectRefusal(await importFile(api, withoutResult, { type: 'vendorLN' }), 400)
  })
})

function expectRefusal({ status, body }: TestAnswer, expected: number): void {
  assert.equal(status, expected, JSON.stringify(body).slice(0, 500))
}

/** A workbook whose only sheet has this content, after `padding` spaces. */
function withSheet(content: string, padding = 0, before = ''): Uint8Array {
  const files = unzipSync(workbook([['Order'], ['J2']]))
  const sheet = strToU8(
    `<?xml version="1.0"?>${before}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${content}</worksheet>`,
  )
  const padded = new Uint8Array(padding + sheet.length).fill(0x20)
  padded.set(sheet, padding)
  return zipSync({ ...files, 'xl/worksheets/sheet1.xml': padded }, { level: 1 })
}

/** Changes a ZIP so that its directories declare ten bytes for every file. */
function lyingAboutSize(zip: Uint8Array): Uint8Array {
  const bytes = Buffer.from(zip)
  for (const [signature, at] of [
    ['PK\u0003\u0004', 22],
    ['PK\u0001\u0002', 24],
  ] as const)
    for (let place = bytes.indexOf(signature); place >= 0; place = bytes.indexOf(signature, place + 4))
      bytes.writeUInt32LE(10, place + at)
  return bytes
}

/** A ZIP whose entries share the same stored bytes and declare themselves empty. */
function sharedEntry(entries: number, size: number): Uint8Array {
  const zip = Buffer.from(zipSync({ 'xl/worksheets/s000.xml': new Uint8Array(size).fill(0x20) }, { level: 0 }))
  const end = zip.length - 22
  const listed = zip.subarray(zip.readUInt32LE(end + 16), end)
  listed.writeUInt32LE(0, 24)
  const list = Array.from({ length: entries }, (_, i) => {
    const entry = Buffer.from(listed)
    entry.write(String(i).padStart(3, '0'), entry.indexOf('000'))
    return entry
  })
  const last = Buffer.from(zip.subarray(end))
  last.writeUInt16LE(entries, 8)
  last.writeUInt16LE(entries, 10)
  last.writeUInt32LE(entries * listed.length, 12)
  return Buffer.concat([zip.subarray(0, zip.readUInt32LE(end + 16)), ...list, last])
}
