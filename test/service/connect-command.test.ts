import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Adapter } from '../connect/shdr/adapter.ts'
import { builtCommand } from '../support/npm-command.ts'

describe('npm run connect', () => {
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
