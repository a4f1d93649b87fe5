import { expect } from 'chai'
import { setImmediate as turn } from 'node:timers/promises'
import { FanOut } from '../../../../api/live/outbox/fan-out.ts'
import { FlushScheduler } from '../../../../api/live/outbox/flush-scheduler.ts'
import { Frame } from '../../../../api/live/outbox/frame.ts'
import { FrameCache } from '../../../../api/live/outbox/frame-cache.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import { asMachineRef } from '../../../../schema/refs.ts'

describe('FanOut', () => {
  const machineRef = asMachineRef(1)
  const keys = 400
  const piece = 100
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  /** A plant of one machine, and its readers. `made`: number of created frames. */
  function plantOf(cache = new FrameCache()) {
    const scheduler = new FlushScheduler()
    const plant = { made: 0 }
    const fanOut = new FanOut<string>({
      snapshot: () => undefined,
      indexOf: () => 0,
      frameOf: text => {
        plant.made++
        return new Frame('diagnostics', 'update', JSON.stringify(text))
      },
      cache,
    })
    /** A change of every key, in chunks between which readers are flushed. */
    const publishAll = async (text: string) => {
      await turns()
      for (let key = 0; key < keys; key++) {
        fanOut.publish(machineRef, key, `${text} ${key}`)
        if ((key + 1) % piece === 0) await turns()
      }
    }
    const follow = () => {
      const reader = { hasRoom: true, told: [] as string[], closed: [] as string[] }
      const connection = {
        write(frames: readonly Frame[]) {
          for (const { json } of frames) reader.told.push(JSON.parse(json))
          return reader.hasRoom
        },
        close: (reason: string) => void reader.closed.push(reason),
      }
      const subscriber = new Subscriber(connection, scheduler, { bytes: 1e6, blockedMs: 50 })
      fanOut.setMachines(subscriber, new Set([machineRef]))
      ends.push(() => fanOut.remove(subscriber))
      return Object.assign(reader, { subscriber })
    }
    return { plant, fanOut, publishAll, follow }
  }

  it('Live frames for a blocked reader are cached up to a limit, and are created again when the reader resumes', async () => {
    const bound = 80_000
    const cache = new FrameCache(bound)
    const { plant, publishAll, follow } = plantOf(cache)
    const [quick, alike, slow] = [follow(), follow(), follow()]
    await publishAll('first')
    slow.hasRoom = false
    await publishAll('second')
    for (const { told } of [quick, alike]) expect(told).to.have.length(2 * keys)
    expect(slow.told).to.deep.equal(quick.told.slice(0, keys + piece))
    expect(plant.made, 'quick readers share what is made').to.equal(2 * keys)
    expect(cache.bytes).to.be.within(bound / 2, bound)
    slow.hasRoom = true
    slow.subscriber.onDrain()
    await turns()
    expect(slow.told).to.deep.equal(quick.told)
    expect(plant.made, 'what was forgotten is made again').to.be.within(2 * keys + 1, 3 * keys)
    expect(cache.bytes, 'all were told').to.equal(0)
  })

  it('Outdated live frames and frames of machines without a follower are dropped from the cache', async () => {
    const cache = new FrameCache()
    const { fanOut, publishAll, follow } = plantOf(cache)
    const [quick, slow] = [follow(), follow()]
    slow.hasRoom = false
    for (const text of ['first!', 'second']) await publishAll(text)
    const before = cache.bytes
    expect(before).to.be.above(0)
    for (const text of ['third!', 'fourth', 'fifth!']) {
      await publishAll(text)
      expect(cache.bytes).to.equal(before)
    }
    for (const { subscriber } of [quick, slow]) fanOut.remove(subscriber)
    expect(cache.bytes).to.equal(0)
  })

  it('No live frame is cached for a closed reader, even while its socket is still open', async () => {
    const { fanOut, publishAll, follow } = plantOf()
    const slow = follow()
    slow.hasRoom = false
    await publishAll('first')
    slow.subscriber.checkPace(performance.now() + 60)
    expect(slow.closed).to.deep.equal(['slow_reader'])
    expect(fanOut.isFollowed(machineRef)).to.equal(false)
    fanOut.setMachines(slow.subscriber, new Set([machineRef]))
    expect(fanOut.isFollowed(machineRef)).to.equal(false)
  })
})

async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await turn()
}
