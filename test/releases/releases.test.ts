import { expect } from 'chai'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { releases, responsesOf, unpackFixture } from './fixture.ts'
import { startRelease } from './start-release.ts'
import { startSystem, systems } from './systems.ts'

const maxBytes = 2_000_000

describe('fixtures of releases', () => {
  for (const version of releases()) {
    for (const name of systems) {
      it(`The data of ${version} (${name}) gives the same responses, byte by byte, after an upgrade`, async function () {
        const folder = mkdtempSync(join(tmpdir(), 'takt-release-'))
        try {
          const { nowMs, responses } = unpackFixture(version, name, folder)
          const system = await startSystem(name, folder)
          if (!system) return this.skip()
          try {
            expect(responses.length).to.be.greaterThan(0)
            const service = await startRelease(system.settings, nowMs)
            try {
              await service.settled()
              expect(await responsesOf(service, responses)).to.deep.equal(responses)
            } finally {
              await service.stop()
            }
          } finally {
            await system.kill()
          }
        } finally {
          rmSync(folder, { recursive: true, force: true })
        }
      })
    }

    it(`The fixture of ${version} is smaller than 2 MB`, () => {
      const folder = fileURLToPath(new URL(`../fixtures/releases/${version}`, import.meta.url))
      const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
      expect(bytes).to.be.lessThan(maxBytes)
    })
  }
})
