import { expect } from 'chai'
import { Health } from '../../../../connect/run/health.ts'
import { ConnectorsChannel } from '../../../../api/live/channels/connectors.ts'
import type { ConnectorHealth } from '../../../../schema/connector-health.ts'
import type { ConnectorUpdate } from '../../../../schema/requests/live.ts'
import type { CompanyRef } from '../../../../schema/refs.ts'
import { hashKey } from '../../../../api/auth/key.ts'
import { type DirectRegistrar, directRegistrar } from '../../../support/registrar.ts'
import { createMember } from './test-member.ts'

/** The channel of an installation, whose members write what they are sent to a list. */
class Channel {
  readonly registrar: DirectRegistrar = directRegistrar(hashKey('the key of an administrator'))
  readonly health = new Map<string, ConnectorHealth>()
  readonly channel = new ConnectorsChannel({
    records: this.registrar.records,
    connectorSecrets: null,
    connectorHealth: { get: (ref: CompanyRef, id: string) => this.health.get(`${ref} ${id}`) ?? null },
  })

  put(id: string): Promise<unknown> {
    return this.registrar.perform('connector.put', { id, name: id, kind: 'shdr', address: 'tcp://127.0.0.1' })
  }

  setHealth(id: string, state: ConnectorHealth['state'], observations: number): void {
    const health = new Health({ owner: 'host/1', timeOffsetMs: 0, clock: () => 0, onState: () => undefined })
    health.set(state)
    health.totals.observations = observations
    this.health.set(`${this.registrar.company.ref} ${id}`, health.read(0))
  }

  join(companyId = this.registrar.company.id) {
    const { member, flush } = createMember(companyId)
    this.channel.joined(member)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the channel sends only updates
    return { member, flush: () => flush().map(({ data }) => data as ConnectorUpdate) }
  }
}

describe('live channel of connectors', () => {
  it('A changed state is sent at the next tick; numbers wait for their interval', async () => {
    const plant = new Channel()
    await plant.put('a')
    plant.setHealth('a', 'connecting', 0)
    const { flush } = plant.join()
    expect(flush().map(({ id, state, totals }) => [id, state, totals?.observations])).to.deep.equal([
      ['a', 'connecting', 0],
    ])
    plant.setHealth('a', 'connecting', 5)
    plant.channel.tick()
    expect(flush()).to.deep.equal([])
    plant.setHealth('a', 'disconnected', 9)
    plant.channel.tick()
    expect(flush().map(({ state, totals }) => [state, totals?.observations])).to.deep.equal([['disconnected', 9]])
    plant.health.clear()
    plant.channel.tick()
    expect(flush().map(({ state, owner }) => [state, owner])).to.deep.equal([['disconnected', null]])
  })

  it('A member receives only the newest state of a connector, and none after it has left', async () => {
    const plant = new Channel()
    for (const id of ['a', 'b']) await plant.put(id)
    const slow = plant.join()
    const other = plant.join()
    expect(other.flush()).to.have.length(2)
    for (const state of ['connecting', 'catching_up', 'connected'] as const) {
      plant.setHealth('a', state, 0)
      plant.channel.tick()
    }
    expect(slow.flush().map(({ id, state }) => [id, state])).to.deep.equal([
      ['a', 'connected'],
      ['b', 'disconnected'],
    ])
    plant.channel.left(slow.member)
    plant.setHealth('b', 'connected', 0)
    plant.channel.tick()
    expect(slow.flush()).to.deep.equal([])
    expect(other.flush().map(({ id }) => id)).to.have.members(['a', 'b'])
  })

  it('A member of another company receives no connector', async () => {
    const plant = new Channel()
    await plant.put('a')
    const other = plant.join('00000000-0000-4000-8000-0000000000ff')
    await plant.put('b')
    plant.channel.tick()
    await plant.registrar.perform('connector.delete', { id: 'a' })
    plant.channel.tick()
    expect(other.flush()).to.deep.equal([])
  })
})
