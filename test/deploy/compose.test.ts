import { noteSkipped } from '../support/skipped.ts'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const file = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url))

describe('docker-compose.yml', () => {
  it('is understood by docker compose', function () {
    if (spawnSync('docker', ['compose', 'version']).status !== 0) {
      noteSkipped('the test of docker-compose.yml', 'install docker compose')
      this.skip()
    }
    const { status, stderr } = spawnSync('docker', ['compose', '-f', file, 'config', '-q'], { encoding: 'utf8' })
    expect(stderr).to.equal('')
    expect(status).to.equal(0)
  })
})
