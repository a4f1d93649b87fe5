import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { Adapter } from '../connect/shdr/adapter.ts'
import { builtCommand } from '../support/npm-command.ts'

describe('npm run connect', () => {
  it('A compressed recording of documents or posts gives the samples of the plain one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'takt-connect-command-'))
    const machineId = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11'
    const documents = [
      '<MTConnectDevices><Header instanceId="1"/><Devices><Device id="d" name="Mill" uuid="m"><DataItems>',
      '<DataItem id="e" name="execution" category="EVENT" type="EXECUTION"/></DataItems></Device></Devices></MTConnectDevices>',
      '<MTConnectStreams><Header instanceId="1" nextSequence="2" firstSequence="1" lastSequence="1" creationTime="2026-11-23T08:00:01Z"/>',
      '<Streams><DeviceStream name="Mill" uuid="m"><ComponentStream><Events><Execution dataItemId="e" sequence="1" ',
      'timestamp="2026-11-23T08:00:00Z">ACTIVE</Execution></Events></ComponentStream></DeviceStream></Streams></MTConnectStreams>',
    ].join('\n')
    const post = { machineId, timestamp: '2026-11-23T08:00:00Z', key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
    const recordings = {
      mtconnect: [documents, { address: 'http://agent:5000', machines: [{ source: 'Mill', machineId }] }],
      http: [JSON.stringify(post), { machines: [{ machineId }] }],
    } as const
    try {
      for (const [kind, [text, connector]] of Object.entries(recordings)) {
        const [plain, compressed, file] = ['plain', 'plain.gz', 'connector.json'].map(name => join(folder, name))
        writeFileSync(plain ?? '', text)
        writeFileSync(compressed ?? '', gzipSync(text))
        writeFileSync(file ?? '', JSON.stringify({ name: 'Mill', kind, ...connector }))
        const read = (path = '') => builtCommand('connect', {}, 'try', file ?? '', path)
        const first = await read(plain)
        expect(first.stdout).to.match(/"value":"ACTIVE"/)
        expect(await read(compressed)).to.deep.equal(first)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('A recording that the disk does not accept ends with the error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'takt-connect-command-'))
    const adapter = await Adapter.start()
    adapter.send({ key: 'execution', value: 'ACTIVE', ms: Date.now() })
    const connector = join(folder, 'connector.json')
    writeFileSync(connector, JSON.stringify({ name: 'Press', kind: 'shdr', address: adapter.address }))
    try {
      const { code, stderr } = await builtCommand('connect', {}, 'record', connector, '--seconds', '600', '/dev/full')
      expect(code).to.equal(1)
      expect(stderr).to.match(/^ENOSPC.*\n$/)
    } finally {
      await adapter.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
