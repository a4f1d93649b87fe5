import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { loadUws } from '../../../../api/live/transport/load-uws.ts'
import type { Health } from '../../../../schema/requests/health.ts'
import { startChild, type ChildService } from '../../../support/child-service.ts'
import { joined } from '../../../support/live-client.ts'
import { testKey } from '../../../support/service.ts'

const binaryPackage = `@uwsjs/${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`

describe('packages of uWebSockets', function () {
  let binaryFolder: string
  let folder: string
  let service: ChildService | undefined

  before(function () {
    try {
      binaryFolder = dirname(createRequire(import.meta.url).resolve(`${binaryPackage}/package.json`))
    } catch {
      process.stderr.write(`${binaryPackage} is not installed, skipping\n`)
      this.skip()
    }
  })
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'takt-uws-'))))
  afterEach(async () => {
    await service?.kill()
    service = undefined
    rmSync(folder, { recursive: true, force: true })
  })

  /** Installs a copy of the binary package under a name; `change` changes its binary. */
  const install = (name: string, change?: (binary: Buffer) => void): void => {
    const target = join(folder, 'node_modules', name)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(binaryFolder, target, { recursive: true })
    writeFileSync(join(target, 'package.json'), JSON.stringify({ name, version: '1.2.3', main: './index.js' }))
    if (change === undefined) return
    const binary = readFileSync(join(target, 'uws.node'))
    change(binary)
    writeFileSync(join(target, 'uws.node'), binary)
  }
  const load = () => {
    const failures: string[] = []
    const loaded = loadUws(cause => void failures.push(cause), join(folder, 'service.js'))
    return { source: loaded?.source ?? null, failures }
  }
  const start = (env: Readonly<Record<string, string>>) =>
    startChild({ NODE_PATH: join(folder, 'node_modules'), TAKT_DATA_DIR: join(folder, 'data'), ...env })
  const healthOf = async ({ call }: ChildService): Promise<Health> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of GET /health
    return (await call('GET', '/health')).body as Health
  }

  it('An installed official package takes precedence, and /health states its version', async () => {
    install('uWebSockets.js')
    service = await start({ TAKT_LIVE_ENGINE: 'auto' })
    const { live, liveSource } = await healthOf(service)
    expect({ live, liveSource }).to.deep.equal({ live: 'uws', liveSource: 'uWebSockets.js 1.2.3' })
    expect(nativeCode(service)).to.deep.equal([join(folder, 'node_modules/uWebSockets.js/uws.node')])
    const client = await joined('plain', service.url, 'status', testKey)
    client.close()
  })

  it('TAKT_LIVE_ENGINE=ws loads no native code of uWebSockets', async () => {
    install('uWebSockets.js')
    service = await start({ TAKT_LIVE_ENGINE: 'ws' })
    const { live, liveSource } = await healthOf(service)
    expect(live).to.equal('ws')
    expect(liveSource).to.match(/^ws \d+\.\d+\.\d+$/)
    expect(nativeCode(service)).to.deep.equal([])
  })

  it('A binary of the registry is loaded only if its SHA-256 is listed', () => {
    expect(load()).to.deep.equal({ source: null, failures: [] })
    install(binaryPackage)
    expect(load()).to.deep.equal({ source: `${binaryPackage} 1.2.3`, failures: [] })
    // The end of the file: a loader would accept it.
    install(binaryPackage, binary => binary.writeUInt8(binary.readUInt8(binary.length - 1) ^ 1, binary.length - 1))
    const { source, failures } = load()
    expect(source).to.equal(null)
    expect(failures).to.have.lengthOf(1)
    expect(failures[0]).to.match(
      /^@uwsjs\/.+ 1\.2\.3 cannot be loaded: the SHA-256 of .+uws\.node is [0-9a-f]{64}, which/,
    )
  })

  it('An official package that cannot be loaded is reported, and the listed binary is loaded', () => {
    install('uWebSockets.js', binary => binary.fill(0, 0, 64))
    install(binaryPackage)
    const { source, failures } = load()
    expect(source).to.equal(`${binaryPackage} 1.2.3`)
    expect(failures.join()).to.include('uWebSockets.js 1.2.3 cannot be loaded: ')
  })
})

/** Files of uWebSockets that a process has loaded. */
function nativeCode({ pid }: ChildService): readonly string[] {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8')
  return [...new Set(maps.split('\n').flatMap(line => /\/\S*uws\S*\.node$/.exec(line)?.[0] ?? []))]
}
