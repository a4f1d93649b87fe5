import { expect } from 'chai'
import { groups } from '../../schema/topics.ts'
import { groupIds } from '../support/kafka.ts'
import { useProcesses } from './processes.ts'

describe('consumer groups on Kafka', () => {
  const { broker, start } = useProcesses(1)

  it('Starts, kills and stops add no consumer group to those of the roles', async () => {
    const others = new Set(await groupIds(broker()))
    for (const group of Object.values(groups)) others.delete(group)
    for (const end of ['kill', 'stop', 'kill'] as const) {
      const { [end]: endProcess } = await start()
      await endProcess()
    }
    const added = (await groupIds(broker())).filter(group => !others.has(group))
    expect(added).to.deep.equal(Object.values(groups).toSorted())
  })
})
