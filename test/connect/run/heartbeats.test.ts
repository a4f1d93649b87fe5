import { expect } from 'chai'
import { Heartbeats } from '../../../connect/run/heartbeats.ts'
import { Position } from '../../../connect/positions/position.ts'
import { isHeartbeat } from '../../../schema/heartbeat.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { deferred } from '../../../shared/async/deferred.ts'
import { dayMs, minuteMs } from '../../../shared/time/units.ts'

const startMs = Date.UTC(2024, 4, 6, 8)

function open(position = new Position('company/connector'), machineIds: readonly string[] = ['a', 'b']) {
  const sent: WireSample[] = []
  let gate = Promise.resolve()
  const deliver = async (samples: readonly WireSample[]) => {
    sent.push(...samples)
    await gate
  }
  const heartbeats = new Heartbeats({ machineIds, intervalMs: 20_000, position, deliver, onStored: () => undefined })
  /** Seconds of the heartbeats of a machine since the last call. */
  const take = async (machineId: string) => {
    await new Promise(resolve => setImmediate(resolve))
    const own = sent.filter(sample => sample.machineId === machineId)
    expect(own.every(isHeartbeat)).to.equal(true)
    return own.map(({ timestamp }) => (Date.parse(timestamp) - startMs) / 1000)
  }
  return { heartbeats, position, sent, take, hold: (until: Promise<void>) => void (gate = until) }
}

describe('heartbeats of a connector', () => {
  it('While the source is heard, each machine gets one in each interval, at the time of receipt', async () => {
    const { heartbeats, take, position } = open()
    for (let second = 0; second <= 100; second += 7) {
      heartbeats.heard(startMs + second * 1000, second === 0)
      await take('a')
    }
    expect([await take('a'), await take('b')]).to.deep.equal([
      [0, 21, 42, 63, 84],
      [0, 21, 42, 63, 84],
    ])
    expect(position.heartbeats.get('a')).to.equal(startMs + 84_000)
  })

  it('After a reconnection the missed time gets heartbeats, at most of the last day, and the last one now', async () => {
    const { heartbeats, take, position } = open()
    heartbeats.heard(startMs, true)
    await take('a')
    const again = open(position)
    again.heartbeats.heard(startMs + 100_000, true)
    expect(await again.take('a')).to.deep.equal([30, 60, 100])
    const late = open(position)
    late.heartbeats.heard(startMs + 100_000 + 3 * dayMs, true)
    const [first = 0, ...others] = await late.take('b')
    expect(first).to.equal(100 + (2 * dayMs) / 1000)
    expect([others.length, others.at(-1)]).to.deep.equal([(24 * 60 * 60) / 30 - 1, 100 + (3 * dayMs) / 1000])
  })

  it('The time before the first observation after a loss gets no heartbeats', async () => {
    const { heartbeats, take } = open()
    heartbeats.heard(startMs, true)
    await take('a')
    heartbeats.lost(startMs + 10 * minuteMs, ['a'])
    heartbeats.heard(startMs + 11 * minuteMs, true)
    expect(await take('a')).to.deep.equal([0, 660])
    expect((await take('b')).length).to.be.greaterThan(20)
  })

  it('After a clock that was a day ahead is corrected, heartbeats continue within the interval', async () => {
    const { heartbeats, take, position } = open()
    heartbeats.heard(startMs + dayMs, true)
    expect(await take('a')).to.deep.equal([dayMs / 1000])
    const stored = new Position('company/connector')
    stored.heartbeats.set('a', position.heartbeats.get('a') ?? 0)
    const again = open(stored)
    for (const each of [{ heartbeats, take }, again])
      for (let second = 0; second <= 45; second += 5) {
        each.heartbeats.heard(startMs + second * 1000, false)
        await each.take('a')
      }
    expect(await take('a')).to.deep.equal([dayMs / 1000, 20, 40])
    expect(await again.take('a')).to.deep.equal([20, 40])
    expect([position, stored].map(each => each.heartbeats.get('a'))).to.deep.equal([startMs + 40_000, startMs + 40_000])
  })

  it('A heartbeat that is not acknowledged is not in the position, and those meanwhile follow it', async () => {
    const { heartbeats, take, position, hold } = open()
    const gate = deferred<void>()
    hold(gate.promise)
    heartbeats.heard(startMs, true)
    for (const second of [25, 50, 75]) heartbeats.heard(startMs + second * 1000, false)
    expect([await take('a'), position.heartbeats.get('a')]).to.deep.equal([[0], undefined])
    gate.resolve()
    expect(await take('a')).to.deep.equal([0, 30, 75])
    expect(position.heartbeats.get('a')).to.equal(startMs + 75_000)
  })

  it('A machine that the connector does not name any more has no stored heartbeat', async () => {
    const { position, heartbeats, take } = open()
    heartbeats.heard(startMs, true)
    await take('a')
    open(position, ['b'])
    expect([...position.heartbeats.entries()].map(([machineId]) => machineId)).to.deep.equal(['b'])
  })
})
