import { expect } from 'chai'
import { setImmediate as turn } from 'node:timers/promises'
import type { Connection } from '../../../../api/live/outbox/connection.ts'
import { Frame } from '../../../../api/live/outbox/frame.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import { FlushScheduler } from '../../../../api/live/outbox/flush-scheduler.ts'

describe('Subscriber', () => {
  const frame = (text: string) => new Frame('status', 'update', JSON.stringify(text))

  function connected(hasRoom: boolean) {
    const written: string[][] = []
    const closed: string[] = []
    const connection: Connection = {
      write(frames) {
        written.push(frames.map(({ json }): string => JSON.parse(json)))
        return hasRoom
      },
      close: reason => closed.push(reason),
    }
    const subscriber = new Subscriber(connection, new FlushScheduler(), { bytes: 1000, blockedMs: 50 })
    return { subscriber, written, closed }
  }

  it('All pending frames of a subscriber are written at once, of each key only the newest', async () => {
    const { subscriber, written } = connected(true)
    for (const [key, text] of [
      [1, 'a'],
      [2, 'b'],
      [1, 'c'],
    ] as const)
      subscriber.offer(key, frame(text))
    await turn()
    expect(written).to.deep.equal([['b', 'c']])
  })

  it('A subscriber without buffer space retains the newest frame of each key until it has space', async () => {
    const { subscriber, written } = connected(false)
    subscriber.offer(1, frame('a'))
    await turn()
    for (const text of ['b', 'c']) subscriber.offer(1, frame(text))
    await turn()
    expect(written).to.deep.equal([['a']])
    subscriber.onDrain()
    await turn()
    expect(written).to.deep.equal([['a'], ['c']])
  })

  it('A subscriber whose pending frames exceed its buffer is closed, but not for one key that changes often', async () => {
    const { subscriber, closed } = connected(false)
    subscriber.offer(0, frame('first'))
    await turn()
    for (let i = 0; i < 1000; i++) subscriber.offer(1, frame(String(i)))
    expect(closed).to.deep.equal([])
    for (let i = 0; i < 20; i++) subscriber.offer(i, frame('x'))
    expect(closed).to.deep.equal(['slow_reader'])
    expect(subscriber.isClosed).to.equal(true)
  })

  it('A subscriber with buffer space can be sent more than its buffer holds', async () => {
    const { subscriber, written, closed } = connected(true)
    for (let i = 0; i < 100; i++) subscriber.offer(i, frame(String(i)))
    await turn()
    expect(closed).to.deep.equal([])
    expect(written.flat()).to.deep.equal(Array.from({ length: 100 }, (_, i) => String(i)))
    expect(written.length).to.be.above(1)
  })

  it('A subscriber that accepts no data for too long is closed', async () => {
    const { subscriber, closed } = connected(false)
    const beforeMs = performance.now()
    subscriber.offer(1, frame('a'))
    await turn()
    const afterMs = performance.now()
    subscriber.checkPace(beforeMs + 50)
    expect(closed).to.deep.equal([])
    subscriber.checkPace(afterMs + 51)
    expect(closed).to.deep.equal(['slow_reader'])
  })

  it('A response of any size is sent to a subscriber, and the next command waits for buffer space', async () => {
    const { subscriber, written, closed } = connected(false)
    subscriber.respond(frame('x'.repeat(5000)))
    await turn()
    expect([written.length, closed.length]).to.deep.equal([1, 0])
    let hasRoom = false
    const room = subscriber.room().then(() => (hasRoom = true))
    await turn()
    expect(hasRoom).to.equal(false)
    subscriber.onDrain()
    await room
    expect(hasRoom).to.equal(true)
  })
})
