import { assert } from 'chai'
import { MtconnectAgent, type MtconnectAgentOptions } from '../../../demo/mtconnect-agent/agent.ts'
import type { AgentDevice, AgentObservation } from '../../../demo/mtconnect-agent/agent-model.ts'
import { defaultConnectorMachine } from '../../../schema/records/connector.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { RunningConnector, type RunningOptions } from './running-connector.ts'
import { SourceModel } from './source-model.ts'

export const millId = '11111111-1111-4111-8111-111111111111'
export const latheId = '33333333-3333-4333-8333-333333333333'
const sourceId = '44444444-4444-4444-8444-444444444444'

export const mill: AgentDevice = {
  name: 'Mill',
  uuid: 'uuid-Mill',
  items: [
    { id: 'avail', name: 'avail', category: 'EVENT', type: 'AVAILABILITY' },
    { id: 'exec', name: 'execution', category: 'EVENT', type: 'EXECUTION' },
    { id: 'mode', name: 'mode', category: 'EVENT', type: 'CONTROLLER_MODE' },
    { id: 'count', name: 'PartCount', category: 'EVENT', type: 'PART_COUNT' },
    { id: 'part', name: 'part', category: 'EVENT', type: 'PART_COUNT', discrete: true },
    { id: 'sys', name: 'system', category: 'CONDITION', type: 'SYSTEM' },
    { id: 'speed', name: 'Srpm', category: 'SAMPLE', type: 'ROTARY_VELOCITY', subType: 'ACTUAL' },
  ],
}

export const lathe: AgentDevice = {
  name: 'Lathe',
  uuid: 'uuid-Lathe',
  items: [{ id: 'exec2', name: 'execution', category: 'EVENT', type: 'EXECUTION' }],
}

/** A value that a test observes: a code makes it a condition; `ms`: its age. */
export interface Value {
  readonly code?: string
  readonly message?: string
  readonly ageMs?: number
}

export interface ScenarioOptions extends Partial<MtconnectAgentOptions> {
  readonly connector?: Partial<RunningOptions>
}

/** An agent, its connector, and the model of what the connector should deliver. Only `observe` advances the clock. */
export class Scenario {
  readonly agent: MtconnectAgent
  readonly connector: RunningConnector
  readonly model = new SourceModel(sourceId)
  clockMs: number
  #restarts = 0

  private constructor(agent: MtconnectAgent, connector: RunningConnector, clockMs: number) {
    this.agent = agent
    this.connector = connector
    this.clockMs = clockMs
  }

  static async start({ connector: options, ...agentOptions }: ScenarioOptions = {}): Promise<Scenario> {
    const clock = { now: () => Date.parse('2024-05-06T06:00:00Z') }
    const agent = await MtconnectAgent.start({
      devices: [mill],
      bufferSize: 50,
      ...agentOptions,
      now: () => clock.now(),
    })
    const connector = new RunningConnector(agent.url, {
      machines: [{ ...defaultConnectorMachine, source: 'uuid-Mill', machineId: millId }],
      sourceId,
      clock: () => clock.now(),
      ...options,
    })
    const scenario = new Scenario(agent, connector, clock.now())
    clock.now = () => scenario.clockMs
    scenario.model.addItems(millId, mill.items)
    scenario.model.begin(agent.instanceId)
    connector.start()
    return scenario
  }

  /** The adapter of the agent sends a value. */
  observe(dataItemId: string, value: string, { code, message, ageMs = 0 }: Value = {}): void {
    this.clockMs += 7
    const observation: AgentObservation = {
      dataItemId,
      timestamp: new Date(this.clockMs - ageMs).toISOString(),
      value,
      ...(code !== undefined && { attributes: { nativeCode: code } }),
      ...(message !== undefined && { message }),
    }
    this.agent.add(observation)
  }

  /** The machine works: a program with changes of the speed. */
  work(changes: number): void {
    for (let i = 0; i < changes; i++) {
      if (i % 5 === 0) this.observe('exec', i % 2 === 0 ? 'ACTIVE' : 'READY')
      else this.observe('speed', String(1000 + (i % 17)))
    }
  }

  /** Waits until the connector has delivered all that the agent has. */
  async readAll(): Promise<void> {
    await this.connector.readAll(this.agent)
    this.model.read(this.agent.buffered(), this.clockMs)
  }

  /** Ends all connections, and refuses others until the function has ended. */
  async cut(meanwhile: () => void | Promise<void>): Promise<void> {
    this.agent.faults.isRefusing = true
    this.agent.cut()
    await this.connector.until(() => this.agent.connections === 0, 'connections remain')
    await meanwhile()
    this.agent.faults.isRefusing = false
  }

  /** The agent has discarded observations that were not read, perhaps while the connector was killed. */
  overrun({ isKilled = false } = {}): void {
    this.model.overrun(this.agent.present(), this.agent.first, isKilled ? this.clockMs : null)
  }

  /** The agent starts again. */
  restart(instanceId: string, options?: { readonly keepsConnections: boolean }): void {
    this.model.restart()
    this.#restarts = instanceId === this.agent.instanceId ? this.#restarts + 1 : 0
    this.agent.restart(instanceId, options)
    this.model.begin(instanceId, this.#restarts)
  }

  /** The samples in the log are those of the model. */
  check(): void {
    assert.deepEqual(sorted(this.connector.log), sorted(this.model.samples))
    assert.equal(this.connector.totals.lost, this.model.lost, 'lost')
  }

  async end(): Promise<void> {
    await this.connector.kill()
    await this.agent.close()
  }
}

function sorted(samples: ReadonlyMap<string, WireSample>): readonly string[] {
  return [...samples.values()].map(described).sort()
}

/** All fields of a sample in one line, the time first. */
function described(sample: WireSample): string {
  const { timestamp, machineId, key, value, ...others } = sample
  const list = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([timestamp, machineId, key, value, list])
}
