import { setInterval as every } from 'node:timers/promises'
import { MtconnectAgent } from '../../demo/mtconnect-agent/agent.ts'
import type { AgentDevice } from '../../demo/mtconnect-agent/agent-model.ts'

/** Commands of the parent process: `cut` ends all connections, and new ones are refused until `accept`. */
export type AgentsCommand = 'cut' | 'accept'

/** Agents of one process, each with a device of 20 items that changes five values each second. */
const count = Number(process.argv[2])
const items = 20
const changes = 5

const agents = await Promise.all(
  Array.from({ length: count }, (_, i) => {
    const device: AgentDevice = {
      name: 'Mill',
      uuid: `mill-${i}`,
      items: Array.from({ length: items }, (_item, item) => ({
        id: `item${item}`,
        name: `name${item}`,
        category: item < 5 ? 'EVENT' : 'SAMPLE',
        type: item < 5 ? 'PROGRAM' : 'POSITION',
      })),
    }
    return MtconnectAgent.start({ devices: [device], bufferSize: 1_000 })
  }),
)
process.on('message', (command: AgentsCommand) => {
  for (const agent of agents) {
    agent.faults.isRefusing = command === 'cut'
    if (command === 'cut') agent.cut()
  }
  process.send?.({})
})
process.once('disconnect', () => process.exit())
process.send?.({ urls: agents.map(({ url }) => url) })
let tick = 0
for await (const _ of every(1_000)) {
  tick++
  const timestamp = new Date().toISOString()
  for (const agent of agents)
    for (let i = 0; i < changes; i++)
      agent.add({ dataItemId: `item${(tick * changes + i) % items}`, timestamp, value: String(tick) })
}
