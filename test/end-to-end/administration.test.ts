import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { DeadLettersResponse } from '../../schema/requests/dead-letters.ts'
import { topics } from '../../schema/topics.ts'
import { shapeOf } from '../api/live/plant.ts'
import { caller, startService, type TestService } from '../support/service.ts'
import { hashKey } from '../../api/auth/key.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'

const otherKey = 'a key of another company of 32 characters or more'

describe('dead letters over HTTP', function () {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service?.stop())

  const sampleOf = (machineId: string, key = 'execution') => ({
    machineId,
    timestamp: new Date().toISOString(),
    key,
    type: 'EXECUTION',
    value: 'ACTIVE',
  })
  const append = async (value: unknown) => {
    await service.log.append(topics.samples, [{ key: null, value: Buffer.from(JSON.stringify(value)) }])
    await service.settled()
  }
  const reasons = async (call = service.call) =>
    shapeOf<DeadLettersResponse>((await call('GET', '/dead-letters')).body).reasons

  it('Dead letters are listed by reason with the latest ones, and replayed once their machine exists', async () => {
    expect(await reasons()).to.deep.equal([])
    const machineId = randomUUID()
    await append(sampleOf(machineId))
    const [unknown, ...others] = await reasons()
    expect(others).to.deep.equal([])
    expect(unknown).to.include({ reason: 'unknown_machine', count: 1 })
    expect(unknown?.latest[0]?.machineIds).to.deep.equal([machineId])
    const replay = async () => (await service.call('POST', '/dead-letters/replay', { reason: 'unknown_machine' })).body
    expect(await replay()).to.deep.equal({ replayed: 0, passedOver: 1 })
    await service.call('PUT', `/machines/${machineId}`, { name: 'Late' })
    expect(await replay()).to.deep.equal({ replayed: 1, passedOver: 0 })
    expect((await service.call('POST', '/dead-letters/replay', { reason: 'boredom' })).status).to.equal(400)
  })

  it('Dead letters are counted by sample, also with several samples in a record', async () => {
    const machineId = randomUUID()
    const before = (await reasons()).find(({ reason }) => reason === 'unknown_machine')?.count ?? 0
    await append([sampleOf(machineId), sampleOf(machineId), sampleOf(machineId)])
    const unknown = (await reasons()).find(({ reason }) => reason === 'unknown_machine')
    expect(unknown?.count).to.equal(before + 3)
    await service.call('PUT', `/machines/${machineId}`, { name: 'Later' })
    const { body } = await service.call('POST', '/dead-letters/replay', { reason: 'unknown_machine' })
    expect(shapeOf<{ replayed: number }>(body).replayed).to.be.at.least(3)
  })

  it('Dead letters of another company are neither listed nor replayed', async () => {
    const made = { companyName: 'Other', adminKeyHash: hashKey(otherKey) }
    resultOrThrow(await service.commands.submit('company.create', made, { companyId: null }))
    const other = caller(service.url, otherKey)
    const before = await reasons()
    expect(before).not.to.deep.equal([])
    expect(await reasons(other)).to.deep.equal([])
    expect((await other('POST', '/dead-letters/replay', { reason: 'unknown_machine' })).body).to.deep.equal({
      replayed: 0,
      passedOver: 0,
    })
    await append(sampleOf(randomUUID()))
    expect(await reasons(other)).to.deep.equal([])
  })

  it('Without a simulated plant, leaving the demo changes nothing', async () => {
    expect((await service.call('POST', '/downtime-reasons', { name: 'Tool change' })).status).to.equal(200)
    expect((await service.call('GET', '/demo')).body).to.deep.equal({ machines: 0, complete: 1 })
    expect((await service.call('POST', '/demo/leave')).body).to.deep.equal({ decommissioned: 0, deleted: 0 })
    expect((await service.call('GET', '/downtime-reasons')).body).to.have.length(1)
  })
})
