import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { assert } from 'chai'
import { buildApp, type BuiltFiles, hashInputs } from '../../../service/app/build-app.ts'
import { scriptBytes } from '../../support/script-bytes.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const kilobyte = 1000

describe('built web application', function () {
  let files: BuiltFiles
  before(async () => {
    files = await buildApp(root)
  })

  it('The scripts of one language have less than 200 kB, and those of the first screen less than 80 kB, compressed', () => {
    const { oneLanguage, firstScreen } = scriptBytes(files)
    assert.isBelow(oneLanguage, 200 * kilobyte)
    assert.isBelow(firstScreen, 80 * kilobyte)
    assert.isAbove(firstScreen, 20 * kilobyte)
  })

  it('The first screen loads at most six scripts: small shared modules are in one', () => {
    const page = files.get('index.html')?.bytes.toString() ?? ''
    assert.isAtMost(page.match(/modulepreload/g)?.length ?? 0, 6)
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
