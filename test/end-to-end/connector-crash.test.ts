import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChildService, startChild } from '../support/child-service.ts'
import { AgentParts } from './agent-parts.ts'
import { useProcesses } from './processes.ts'

describe('connectors of a service that is killed', () => {
  let plant: AgentParts

  beforeEach(async () => {
    plant = await AgentParts.start()
  })
  afterEach(() => plant.close())

  describe('in one process', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'takt-connector-crash-'))
    let child: ChildService
    const start = async () => (child = await startChild({ TAKT_DATA_DIR: dataDir }))
    after(async () => {
      await child.kill()
      rmSync(dataDir, { recursive: true, force: true })
    })

    it('Every part of an agent counts once, although the service is killed repeatedly', async () => {
      await start()
      await plant.connect(child)
      await plant.connected(child)
      // The first position is stored within a second; without one, the next start begins with the present values.
      await sleep(5_000)
      for (const pauseMs of [0, 1_200, 300, 700]) {
        await plant.connected(child)
        await plant.make(40)
        await sleep(pauseMs)
        await child.kill()
        await plant.make(10)
        await start()
      }
      expect(await plant.reported(child)).to.equal(plant.made)
      const { owner, totals } = await plant.connected(child)
      expect(owner).to.be.a('string')
      expect(totals).to.include({ gaps: 0, lost: 0 })
      const { body } = await child.call('GET', `/machines/${plant.machineId}/metrics`)
      expect(JSON.stringify(body)).to.include('PART_COUNT').and.not.to.include('CONNECTION_STATUS')
    })
  })

  describe('in several processes', () => {
    const { start } = useProcesses(2)

    it('Another process continues at the stored position of a killed one, and every part counts once', async () => {
      const [, api, first, second] = await Promise.all(
        ['ingest,process', 'api', 'connect', 'connect'].map(each => start(each)),
      )
      if (!api || !first || !second) throw new Error('A process is missing')
      await plant.connect(api)
      const { owner: killed } = await plant.connected(api)
      await plant.make(50)
      // The first position is stored within a second; without one, the next process begins with the present values.
      await sleep(5_000)
      await plant.make(50)
      const isOwner = ({ pid }: ChildService) => killed?.split('/')[1] === String(pid)
      expect([first, second].filter(isOwner)).to.have.lengthOf(1)
      await (isOwner(first) ? first : second).kill()
      await plant.make(50)
      await plant.connected(api, ({ owner }) => owner !== killed)
      await plant.make(20)
      expect(await plant.reported(api)).to.equal(plant.made)
    })
  })
})
