import { expect } from 'chai'
import { type ChildService, startChild } from '../support/child-service.ts'
import { AgentParts } from './agent-parts.ts'

describe('health of connectors of a running service', () => {
  let plant: AgentParts
  let service: ChildService

  before(async () => {
    plant = await AgentParts.start()
    service = await startChild({})
    await plant.connect(service)
  })
  after(async () => {
    await service.stop()
    await plant.close()
  })

  it('A connector shows the last sample of its machine, its lag, and the skew of the clock of its agent', async () => {
    plant.agent.faults.clockOffsetMs = -90_000
    await plant.make(5)
    const shown = await plant.connected(service, ({ lagMs, skewMs }) => lagMs !== null && skewMs !== null)
    expect(shown.skewMs).to.be.within(-91_000, -89_000)
    const [warning] = shown.warnings
    expect(warning?.code).to.equal('clock_skew')
    expect(warning?.timeOffsetMs).to.be.within(89_000, 91_000)
    const [last, ...more] = shown.lastSamples
    expect(more).to.deep.equal([])
    expect(last?.machineId).to.equal(plant.machineId)
    expect(Date.now() - Date.parse(last?.at ?? '')).to.be.within(0, 60_000)
    expect(shown).to.include({ buffer: null })
    expect(shown.observationsPerSecond).to.be.at.least(0)
  })
})
