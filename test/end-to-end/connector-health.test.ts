import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IncidentState } from '../../schema/records/incident.ts'
import type { MachineListItem } from '../../schema/records/machine.ts'
import type { IncidentItem } from '../../schema/requests/incidents.ts'
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
    // Its samples have the true time, so that it is ahead of its agent.
    await plant.connected(service, ({ lastSamples }) => {
      plant.observe('exec', 'ACTIVE')
      const skewMs = lastSamples[0]?.skewMs ?? null
      return skewMs !== null && skewMs > 80_000 && skewMs < 95_000
    })
    expect(shown).to.include({ buffer: null })
    expect(shown.observationsPerSecond).to.be.at.least(0)
  })

  it('A machine states why it is UNAVAILABLE: its agent has no adapter, or is unavailable', async () => {
    const connection = async () => {
      const { body } = await service.call('GET', '/machines')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
      return (body as readonly MachineListItem[]).find(({ id }) => id === plant.machineId)?.connection
    }
    const until = async (problem: string | null) => {
      for (let shown = await connection(); ; shown = await connection()) {
        if (shown?.problem === problem) return shown
        await sleep(50)
      }
    }
    expect(await until(null)).to.include({ connectorId: 'mill', state: 'connected', reason: null })
    plant.observe('exec', 'UNAVAILABLE')
    expect((await until('no_adapter')).reason).to.match(/^agent without adapter since \d\d:\d\d$/)
    plant.observe('exec', 'ACTIVE')
    await until(null)
    plant.agent.faults.isRefusing = true
    plant.agent.cut()
    expect((await until('source_unavailable')).reason).to.match(/^agent unavailable since \d\d:\d\d$/)
    plant.agent.faults.isRefusing = false
    await until(null)
  })

  it('A rule on connectors opens an incident while the agent refuses connections', async () => {
    const rule = { name: 'Connection lost', severity: 'warning', condition: { connector: 'disconnected' } }
    expect((await service.call('PUT', '/alert-rules/lost', rule)).status).to.equal(200)
    const disk = { name: 'Disk', severity: 'info', condition: { system: 'disk', above: 0 } }
    expect((await service.call('PUT', '/alert-rules/disk', disk)).status).to.equal(200)
    const until = async (state: IncidentState, ruleId = 'lost') => {
      for (;;) {
        const { body } = await service.call('GET', `/incidents?ruleId=${ruleId}&state=${state}`)
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
        const [incident] = body as readonly IncidentItem[]
        if (incident) return incident
        await sleep(50)
      }
    }
    plant.agent.faults.isRefusing = true
    plant.agent.cut()
    const opened = await until('open')
    expect(opened.subject).to.deep.equal({ type: 'connector', id: 'mill', name: 'Mill' })
    plant.agent.faults.isRefusing = false
    expect(await until('resolved')).to.include({ id: opened.id, startedAt: opened.startedAt, cause: 'condition' })
    expect((await until('open', 'disk')).detail).to.include({ check: 'disk' })
  })

  it('A rule on silence opens an incident of a machine whose last sample is old, until the next sample', async () => {
    const machineId = randomUUID()
    expect((await service.call('PUT', `/machines/${machineId}`, { name: 'Press' })).status).to.equal(200)
    const rule = { name: 'Silent', severity: 'info', condition: { silent: true }, forMs: 60_000 }
    expect((await service.call('PUT', '/alert-rules/silent', rule)).status).to.equal(200)
    const send = async (ms: number) => {
      const sample = { machineId, timestamp: new Date(ms).toISOString(), key: 'load', type: 'LOAD', value: '5' }
      expect((await service.call('POST', '/ingest/samples', sample)).status).to.equal(202)
    }
    const until = async (state: IncidentState) => {
      for (;;) {
        const { body } = await service.call('GET', `/incidents?machineId=${machineId}&state=${state}`)
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
        const [incident] = body as readonly IncidentItem[]
        if (incident) return incident
        await sleep(50)
      }
    }
    const lastMs = Date.now() - 600_000
    await send(lastMs)
    expect(Date.parse((await until('open')).startedAt)).to.equal(lastMs)
    const nextMs = Date.now()
    await send(nextMs)
    expect(Date.parse((await until('resolved')).endedAt ?? '')).to.equal(nextMs)
  })
})
