import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MtconnectAgent } from '../../demo/mtconnect-agent/agent.ts'
import type { AgentDevice } from '../../demo/mtconnect-agent/agent-model.ts'
import type { ConnectorResponse } from '../../schema/records/connector.ts'
import type { ChildService } from '../support/child-service.ts'
import { readReportedParts } from '../support/reported-parts.ts'

const device: AgentDevice = {
  name: 'Mill',
  uuid: 'uuid-Mill',
  items: [
    { id: 'exec', name: 'execution', category: 'EVENT', type: 'EXECUTION' },
    { id: 'part', name: 'part', category: 'EVENT', type: 'PART_COUNT', discrete: true },
  ],
}

/** An MTConnect agent whose machine makes parts, and the connector that reads it. */
export class AgentParts {
  readonly machineId = randomUUID()
  readonly agent: MtconnectAgent
  /** Number of parts that the machine has made. */
  made = 0

  private constructor(agent: MtconnectAgent) {
    this.agent = agent
  }

  static async start(): Promise<AgentParts> {
    return new AgentParts(await MtconnectAgent.start({ devices: [device], bufferSize: 5_000 }))
  }

  /** Creates the machine and its connector; then the machine is active. */
  async connect({ call }: ChildService): Promise<void> {
    const machine = { name: 'Mill', partCounter: 'increment', partCountKey: 'part' }
    expect((await call('PUT', `/machines/${this.machineId}`, machine)).status).to.equal(200)
    const machines = [{ source: 'uuid-Mill', machineId: this.machineId }]
    const record = { name: 'Mill', kind: 'mtconnect', address: this.agent.url, machines, options: { intervalMs: 20 } }
    expect((await call('PUT', '/connectors/mill', record)).status).to.equal(200)
    this.observe('exec', 'ACTIVE')
  }

  async make(parts: number): Promise<void> {
    for (let i = 0; i < parts; i++) {
      this.observe('part', '1')
      this.made++
      await sleep(5)
    }
  }

  /** Adds an observation of now. */
  observe(dataItemId: string, value: string): void {
    this.agent.add({ dataItemId, value, timestamp: new Date().toISOString() })
  }

  /** Waits until the connector is connected; `isDone`: until this holds too. */
  async connected(
    { call }: ChildService,
    isDone: (connector: ConnectorResponse) => boolean = () => true,
  ): Promise<ConnectorResponse> {
    for (;;) {
      const { body } = await call('GET', '/connectors/mill')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
      const connector = body as ConnectorResponse
      if (connector.state === 'connected' && isDone(connector)) return connector
      await sleep(100)
    }
  }

  /** Returns the parts of the production report, after the connector has read all parts. */
  async reported(child: ChildService): Promise<number> {
    await this.connected(child)
    // The interval of the stream and the time for which samples wait for further ones.
    await sleep(1_000)
    await child.settled()
    return readReportedParts(child)
  }

  close(): Promise<void> {
    return this.agent.close()
  }
}
