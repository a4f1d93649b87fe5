import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { buildApp, type BuiltFiles, hashInputs, pageName } from '../../../service/app/build-app.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const kilobyte = 1000

describe('built web application', function () {
  let files: BuiltFiles
  before(async () => {
    files = await buildApp(root)
  })

  const sizeOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + gzipSync(files.get(name)?.bytes ?? '').length, 0)

  it('The scripts have less than 210 kB, and those of the first screen less than 80 kB, compressed', () => {
    const page = files.get(pageName)?.bytes.toString() ?? ''
    const scripts = [...files.keys()].filter(name => name.endsWith('.js'))
    const first = scripts.filter(name => page.includes(name))
    assert.isBelow(sizeOf(scripts), 210 * kilobyte)
    assert.isBelow(sizeOf(first), 80 * kilobyte)
    assert.isAbove(first.length, 2)
  })

  it('Compressed files have the content of the uncompressed ones', () => {
    for (const [name, { bytes, brotli, gzip }] of files) {
      if (brotli) assert.isTrue(brotliDecompressSync(brotli).equals(bytes), name)
      if (gzip) assert.isTrue(gunzipSync(gzip).equals(bytes), name)
    }
  })

  it('A second build has the same files and the same hash', async () => {
    assert.deepEqual([...(await buildApp(root)).keys()], [...files.keys()])
    assert.equal(hashInputs(root), hashInputs(root))
  })

  it('The dark theme is the same for a chosen theme and for the system default', () => {
    const tokens = readFileSync(`${root}web/style/tokens.css`, 'utf8')
    const bodyAfter = (selector: string) => {
      const from = tokens.indexOf('{', tokens.indexOf(selector)) + 1
      return tokens.slice(from, tokens.indexOf('}', from)).replaceAll(/\s+/g, ' ')
    }
    assert.include(bodyAfter(":root[data-theme='dark']"), '--page')
    assert.equal(bodyAfter(":root[data-theme='dark']"), bodyAfter(":root:not([data-theme='light'])"))
  })
})
