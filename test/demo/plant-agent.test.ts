import { lookup } from 'node:dns'
import { assert } from 'chai'
import { readAgent } from '../../connect/mtconnect/read-agent.ts'
import { Position } from '../../connect/positions/position.ts'
import { newTotals } from '../../connect/source/totals.ts'
import { createRecords } from '../../demo/create-records.ts'
import { PlantAgent } from '../../demo/plant-agent.ts'
import type { PlantClient } from '../../demo/plant-client.ts'
import { agentConnectorId, agentMachineOf } from '../../demo/simulate/demo-records.ts'
import { createPlant, type SimulatedSample } from '../../demo/simulate/plant.ts'
import type { WireSample } from '../../schema/topics.ts'
import { hourMs } from '../../shared/time/units.ts'
import { directRegistrar } from '../support/registrar.ts'

const plant = createPlant({ seed: 1, machines: 6, isDaily: true })
const atMs = Date.parse('2026-03-04T09:00:00Z')

/** The last value of each key, of a condition of each code that is active. */
function stateAfter(samples: readonly Pick<SimulatedSample, 'key' | 'value' | 'nativeCode' | 'category'>[]) {
  const state = new Map<string, string>()
  for (const { key, value, nativeCode = '', category } of samples) {
    if (category !== 'CONDITION') state.set(key, String(value))
    else if (nativeCode === '') for (const name of state.keys()) if (name.startsWith(`${key} `)) state.delete(name)
    if (category === 'CONDITION' && nativeCode !== '')
      if (value === 'NORMAL') state.delete(`${key} ${nativeCode}`)
      else state.set(`${key} ${nativeCode}`, String(value))
  }
  return Object.fromEntries(state)
}

/** The records of the simulated plant, without its connector. */
async function openPlant() {
  const registrar = directRegistrar('0'.repeat(64))
  const { records, company } = registrar
  const submit: PlantClient['submit'] = async (name, payload) => {
    const outcome = await registrar.submit(name, payload, { companyId: company.id, actor: 'demo' })
    return outcome.ok ? outcome.result : null
  }
  const client: PlantClient = { companyId: company.id, records, submit }
  await createRecords(client, plant, { fromMs: Date.now(), toMs: Date.now() })
  return { registrar, records, company, client }
}

describe('agent of the simulated plant', () => {
  it('Its connector delivers the state at the start, then each sample once with its time', async () => {
    const { records, company, client } = await openPlant()
    const agent = new PlantAgent({ plant, client, clock: () => atMs })
    const machine = agentMachineOf(plant.machines)
    assert.isNotNull(machine)
    const own = plant.samples(machine.index, atMs, atMs + hourMs, { bulk: true })
    const batches = [
      { machineId: machine.id, samples: [...own] },
      { machineId: plant.machines[0]?.id ?? '', samples: [] },
    ]
    assert.deepEqual(agent.others(batches), batches, 'before the start')
    assert.isTrue(await agent.start(atMs, { mayCreate: true }))
    assert.deepEqual(agent.others(batches), batches.slice(1), 'after the start')
    agent.add(batches)

    const connector = records.get('connector', company.id, agentConnectorId)
    assert.isNotNull(connector)
    const delivered: WireSample[] = []
    const stopped = new AbortController()
    const newestAt = own.at(-1)?.timestamp
    await readAgent({
      connector: { ...connector, options: { ...connector.options, start: 'buffer' } },
      secrets: {},
      lookup,
      clock: () => atMs,
      hasMachine: () => true,
      position: new Position('test').startOf('mtconnect'),
      notes: [],
      signal: stopped.signal,
      totals: newTotals(),
      deliver: async samples => {
        delivered.push(...samples)
        if (samples.some(({ timestamp }) => Date.parse(timestamp) === Date.parse(newestAt ?? ''))) stopped.abort()
      },
      deliverBody: async () => undefined,
      hasSpace: () => true,
      waitForSpace: async () => undefined,
      positionChanged: () => undefined,
      heard: () => undefined,
      report: () => undefined,
      sourceClock: () => undefined,
      lost: () => undefined,
      warn: message => assert.fail(message),
    }).catch((error: unknown) => {
      if (!stopped.signal.aborted) throw error
    })
    await agent.stop()

    const before = plant.samples(machine.index, atMs - 24 * hourMs, atMs, { bulk: true })
    const upper = (all: readonly WireSample[]) =>
      all.map(sample =>
        sample.category === 'CONDITION' ? { ...sample, value: String(sample.value).toUpperCase() } : sample,
      )
    const first = delivered.filter(({ timestamp }) => Date.parse(timestamp) <= atMs)
    assert.deepEqual(stateAfter(upper(first)), stateAfter(before), 'state at the start')
    const later = upper(delivered).filter(({ timestamp }) => Date.parse(timestamp) > atMs)
    const textOf = ({ timestamp, key, value, nativeCode = '' }: SimulatedSample) =>
      `${Date.parse(timestamp)} ${key} ${String(value)} ${nativeCode}`
    assert.sameMembers(later.map(textOf), own.filter(({ timestamp }) => Date.parse(timestamp) > atMs).map(textOf))
  })

  it('All samples are sent otherwise if the service rejects the connector, and its agent ends', async () => {
    const { records, company } = directRegistrar('0'.repeat(64))
    const addresses: string[] = []
    const submit: PlantClient['submit'] = async (_, payload) => {
      if ('address' in payload && typeof payload.address === 'string') addresses.push(payload.address)
      return null
    }
    const agent = new PlantAgent({ plant, client: { companyId: company.id, records, submit }, clock: () => atMs })
    const batches = plant.machines.map(({ id }) => ({ machineId: id, samples: [] }))
    assert.isFalse(await agent.start(atMs, { mayCreate: true }))
    assert.isFalse(await agent.start(atMs + 1_000, { mayCreate: true }))
    assert.deepEqual(agent.others(batches), batches)
    assert.lengthOf(addresses, 1)
    assert.isNull(await fetch(addresses[0] ?? '').catch(() => null), 'the agent still answers')
  })

  it('After a user has deleted the connector, all samples are sent otherwise, and later starts do not create it', async () => {
    const { registrar, records, company, client } = await openPlant()
    const connector = () => records.get('connector', company.id, agentConnectorId)
    const batches = plant.machines.map(({ id }) => ({ machineId: id, samples: [] }))
    const agent = new PlantAgent({ plant, client, clock: () => atMs })
    assert.isTrue(await agent.start(atMs, { mayCreate: true }))
    assert.isTrue(await agent.start(atMs + 1_000, { mayCreate: false }))
    const address = connector()?.address ?? ''
    assert.lengthOf(agent.others(batches), batches.length - 1)
    await registrar.perform('connector.delete', { id: agentConnectorId })
    assert.isFalse(await agent.start(atMs + 2_000, { mayCreate: false }))
    assert.deepEqual(agent.others(batches), batches)
    assert.isNull(await fetch(address).catch(() => null), 'the agent still answers')

    const later = new PlantAgent({ plant, client, clock: () => atMs })
    for (const ms of [3_000, 4_000]) assert.isFalse(await later.start(atMs + ms, { mayCreate: false }))
    assert.deepEqual(later.others(batches), batches)
    assert.isNull(connector())
  })

  it('A later start continues with an existing connector, and changes only its address', async () => {
    const { registrar, records, company, client } = await openPlant()
    const connector = () => records.get('connector', company.id, agentConnectorId)
    const first = new PlantAgent({ plant, client, clock: () => atMs })
    await first.start(atMs, { mayCreate: true })
    await first.stop()
    const before = connector()
    assert.isNotNull(before)
    await registrar.perform('connector.put', { ...before, name: 'Renamed', secrets: {} })
    const second = new PlantAgent({ plant, client, clock: () => atMs })
    try {
      assert.isTrue(await second.start(atMs, { mayCreate: false }))
      assert.deepEqual(connector(), { ...before, name: 'Renamed', address: connector()?.address ?? null })
    } finally {
      await second.stop()
    }
  })
})
