import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { readMigrations } from '../../../clickhouse/migrations/migrate.ts'
import { migrationHashes, readReleased } from '../../releases/released-migrations.ts'

const mend =
  'A released migration never changes: put the change into a new file. Before the date of the release is in CHANGELOG.md, ' +
  '`npm run release-fixture` writes the list again'

describe('released migrations', () => {
  it('Released migrations, views included, did not change since their release', async () => {
    const hashes = await migrationHashes()
    const released = readReleased()
    expect(released.size).to.be.greaterThan(0)
    for (const [name, hash] of released) expect(hashes.get(name), `${name}. ${mend}`).to.equal(hash)
  })

  it('Migrations that are not released have numbers above those of the released ones', async () => {
    const names = (await readMigrations()).map(({ name }) => name)
    const released = [...readReleased().keys()]
    expect(names.slice(0, released.length), mend).to.deep.equal(released)
  })

  it('package.json contains the version, and the changelog begins with it or with unreleased changes', () => {
    const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
    const { version }: { version: string } = JSON.parse(read('package.json'))
    const [heading = ''] = /^## .*$/m.exec(read('CHANGELOG.md')) ?? []
    expect(heading).to.match(/^## (?:Unreleased|\[?\d+\.\d+\.\d+\]? - (?:\d{4}-\d{2}-\d{2}|unreleased))$/)
    if (heading !== '## Unreleased') expect(heading).to.include(version)
    expect(JSON.parse(read('package-lock.json'))).to.include({ version })
  })
})
