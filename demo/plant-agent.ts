import { setImmediate } from 'node:timers/promises'
import { dayMs, hourMs } from '../shared/time/units.ts'
import type { WireBatch } from '../schema/topics.ts'
import { MtconnectAgent } from './mtconnect-agent/agent.ts'
import type { AgentItem, AgentObservation } from './mtconnect-agent/agent-model.ts'
import type { PlantClient } from './plant-client.ts'
import { agentConnectorId, agentMachineOf } from './simulate/demo-records.ts'
import type { Plant, SimulatedSample } from './simulate/plant.ts'

/** Observations that the agent keeps: more than the machine sends in half an hour. */
const bufferSize = 4_096
/** Time in which a machine sends values of all its keys. */
const allKeysMs = dayMs

const levels: Readonly<Record<string, string>> = {
  NORMAL: 'Normal',
  WARNING: 'Warning',
  FAULT: 'Fault',
  UNAVAILABLE: 'Unavailable',
}

export interface PlantAgentOptions {
  readonly plant: Plant
  readonly client: PlantClient
  /** UTC ms. */
  readonly clock: () => number
}

/**
 * The MTConnect agent of one machine of the simulated plant, on a free port of 127.0.0.1, and its connector. From its start
 * on, the samples of the machine reach the service only through the connector.
 */
export class PlantAgent {
  readonly #options: PlantAgentOptions
  readonly #profile: Plant['machines'][number] | null
  #agent: MtconnectAgent | null = null
  /** Whether the service has rejected the connector. */
  #isRejected = false

  constructor(options: PlantAgentOptions) {
    this.#options = options
    this.#profile = agentMachineOf(options.plant.machines)
  }

  /**
   * Starts the agent with the state of the machine at `atMs`, UTC ms, before which all samples were sent otherwise. If the
   * service rejects the connector, the samples are sent otherwise from then on, too.
   */
  async start(atMs: number): Promise<void> {
    if (this.#profile === null || this.#agent !== null || this.#isRejected) return
    const { plant, client, clock } = this.#options
    const { id, name, make, model, index } = this.#profile
    const samples = await samplesBefore(plant, index, atMs)
    let isStarting = true
    const agent = await MtconnectAgent.start({
      devices: [{ name, uuid: id, items: itemsOf(samples), description: { manufacturer: make, model } }],
      bufferSize,
      instanceId: String(clock()),
      // An agent begins with UNAVAILABLE, which must be before the state.
      now: () => (isStarting ? atMs - 1 : clock()),
    })
    isStarting = false
    const timestamp = new Date(atMs).toISOString()
    agent.add(...presentOf(samples).map(sample => observationOf({ ...sample, timestamp })))
    try {
      this.#isRejected = !(await this.#connect(client, agent.url))
    } catch (error) {
      await agent.close()
      throw error
    }
    if (this.#isRejected) await agent.close()
    else this.#agent = agent
  }

  /** Returns the batches of the other machines; before the start, all. */
  others(batches: readonly WireBatch[]): readonly WireBatch[] {
    return this.#agent === null ? batches : batches.filter(({ machineId }) => machineId !== this.#profile?.id)
  }

  /** Adds the samples of its machine to the agent. */
  add(batches: readonly WireBatch[]): void {
    for (const { machineId, samples } of batches)
      if (machineId === this.#profile?.id) this.#agent?.add(...samples.map(observationOf))
  }

  async stop(): Promise<void> {
    await this.#agent?.close()
    this.#agent = null
  }

  /**
   * Creates the connector; of an existing one only the address changes, because users may have edited it. Returns whether the
   * service has accepted it.
   */
  async #connect(client: PlantClient, address: string): Promise<boolean> {
    const { records, companyId } = client
    const machineId = this.#profile?.id ?? ''
    const before = records.get('connector', companyId, agentConnectorId)
    if (before === null) {
      const machines = [{ source: machineId, machineId }]
      const connector = { name: 'MTConnect agent', kind: 'mtconnect', address, machines } as const
      return (await client.submit('connector.put', { id: agentConnectorId, ...connector })) !== null
    }
    const { id, name, kind, enabled, sourceId, machines, rules, options } = before
    const changed = { id, name, kind, address, enabled, sourceId, machines, rules, options }
    return (await client.submit('connector.put', changed)) !== null
  }
}

/** Reads hour by hour: other work proceeds in between. */
async function samplesBefore(plant: Plant, index: number, atMs: number): Promise<readonly SimulatedSample[]> {
  const samples: SimulatedSample[] = []
  for (let fromMs = atMs - allKeysMs; fromMs < atMs; fromMs += hourMs) {
    for (const sample of plant.samples(index, fromMs, fromMs + hourMs, { bulk: true })) samples.push(sample)
    await setImmediate()
  }
  return samples
}

/** The data items of samples, each once. */
function itemsOf(samples: readonly SimulatedSample[]): readonly AgentItem[] {
  const items = new Map<string, AgentItem>()
  for (const { key, type, subtype, category = 'EVENT' } of samples)
    items.set(key, { id: key, name: key, category, type, ...(subtype !== undefined && { subType: subtype }) })
  return [...items.values()]
}

/** The last sample of each key; of a condition those of its active codes. */
function presentOf(samples: readonly SimulatedSample[]): readonly SimulatedSample[] {
  const present = new Map<string, readonly SimulatedSample[]>()
  for (const sample of samples) {
    const { key, value, nativeCode = '', category } = sample
    const before = category === 'CONDITION' && nativeCode !== '' ? (present.get(key) ?? []) : []
    const others = before.filter(other => isRaised(other) && other.nativeCode !== nativeCode)
    const isEnd = value === 'NORMAL' && others.length > 0
    present.set(key, isEnd ? others : [...others, sample])
  }
  return [...present.values()].flat()
}

function isRaised({ value }: SimulatedSample): boolean {
  return value === 'WARNING' || value === 'FAULT'
}

function observationOf({ key, timestamp, value, category, nativeCode, message }: SimulatedSample): AgentObservation {
  const text = String(value)
  return {
    dataItemId: key,
    timestamp,
    value: category === 'CONDITION' ? (levels[text] ?? text) : text,
    ...(nativeCode !== undefined && { attributes: { nativeCode } }),
    ...(message !== undefined && { message }),
  }
}
