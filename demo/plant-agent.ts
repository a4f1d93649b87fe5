import { setImmediate } from 'node:timers/promises'
import { dayMs, hourMs } from '../shared/time/units.ts'
import type { ConnectorRecord } from '../schema/records/connector.ts'
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
 * on, the samples of the machine reach the service only through the connector, until a user deletes it.
 */
export class PlantAgent {
  readonly #options: PlantAgentOptions
  readonly #profile: Plant['machines'][number] | null
  #agent: MtconnectAgent | null = null
  /** Whether the records have had the connector since the start. */
  #isSeen = false
  /** Whether the service has rejected the connector, or a user has deleted it. */
  #isOver = false

  constructor(options: PlantAgentOptions) {
    this.#options = options
    this.#profile = agentMachineOf(options.plant.machines)
  }

  /**
   * Starts the agent with the state of the machine at `atMs`, UTC ms, before which all samples were sent otherwise. If the
   * service rejects the connector, or a user deletes it, the samples are sent otherwise from then on, too; a later call ends
   * the agent. `mayCreate`: whether a missing connector is created. Returns whether the connector exists.
   */
  async start(atMs: number, { mayCreate }: { readonly mayCreate: boolean }): Promise<boolean> {
    if (this.#profile === null || this.#isOver) return false
    const isFound = this.#findConnector() !== null
    this.#isSeen ||= isFound
    this.#isOver = !isFound && (this.#isSeen || !mayCreate)
    if (this.#isOver) await this.stop()
    else if (this.#agent === null) await this.#startAgent(this.#profile, atMs)
    return !this.#isOver
  }

  async #startAgent({ id, name, make, model, index }: Plant['machines'][number], atMs: number): Promise<void> {
    const { plant, client, clock } = this.#options
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
      this.#isOver = !(await this.#connect(client, agent.url))
    } catch (error) {
      await agent.close()
      throw error
    }
    if (this.#isOver) await agent.close()
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

  #findConnector(): ConnectorRecord | null {
    const { records, companyId } = this.#options.client
    return records.get('connector', companyId, agentConnectorId)
  }

  /**
   * Creates the connector; of an existing one only the address changes, because users may have edited it. Returns whether the
   * service has accepted it.
   */
  async #connect(client: PlantClient, address: string): Promise<boolean> {
    const machineId = this.#profile?.id ?? ''
    const before = this.#findConnector()
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
