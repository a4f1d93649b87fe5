import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { FutureValues } from '../../../../api/live/values/future-values.ts'
import { asMachineRef } from '../../../../schema/refs.ts'
import { OneMachine, until } from '../one-machine.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

describe('live values with future timestamps', () => {
  let plant: OneMachine
  beforeEach(() => {
    plant = new OneMachine()
  })
  afterEach(() => plant.live.stop())

  it('A future-dated value is shown at its timestamp and does not delay earlier values', async () => {
    const { live } = plant
    const reader = plant.follow()
    live.publishValues([plant.sample(-minuteMs, '19')])
    await until(() => reader.told.length === 1)
    live.publishValues([plant.sample(hourMs, '999')])
    live.publishValues([plant.sample(0, '20')])
    await until(() => reader.told.length === 2)
    const late = plant.follow()
    await until(() => late.told.length === 1)
    expect(late.told).to.deep.equal([['load', '20']])

    plant.nowMs += hourMs - minuteMs
    live.publishValues([plant.sample(0, '21')])
    // Due values are checked more often than this.
    await sleep(1_100)
    expect(reader.told.map(([, value]) => value)).to.deep.equal(['19', '20', '21'])
    plant.nowMs += minuteMs
    await until(() => reader.told.length === 4)
    await until(() => late.told.length === 3)
    live.publishValues([plant.sample(minuteMs / 100, '22')])
    await until(() => reader.told.length === 5)
    expect(reader.told.map(([, value]) => value)).to.deep.equal(['19', '20', '21', '999', '22'])
  })

  it('A future-dated value from the store does not delay current values', async () => {
    const { live } = plant
    const reader = plant.follow()
    live.restoreValues([plant.sample(hourMs, '999'), plant.sample(-hourMs, '19')])
    await until(() => reader.told.length === 1)
    live.publishValues([plant.sample(0, '20')])
    await until(() => reader.told.length === 2)
    plant.nowMs += hourMs
    await until(() => reader.told.length === 3)
    expect(reader.told.map(([, value]) => value)).to.deep.equal(['19', '20', '999'])
  })

  it('A follower of samples receives a future-dated sample immediately, and its change of value at its timestamp', async () => {
    const { live } = plant
    const shown: (readonly [string, boolean, boolean])[] = []
    const end = live.listen({
      needsSamples: () => true,
      published: (sample, isChange) => shown.push([sample.value, isChange, live.values.cellOf(sample) !== null]),
      restored: () => undefined,
    })
    live.publishValues([plant.sample(0, '20'), plant.sample(hourMs, '999')])
    expect(shown).to.deep.equal([
      ['20', true, true],
      ['999', false, false],
    ])
    expect([...live.valuesBeforeFuture()].map(({ value }) => value)).to.deep.equal(['20'])
    plant.nowMs += hourMs
    await until(() => shown.length === 3)
    expect(shown[2]).to.deep.equal(['999', true, true])
    expect([...live.valuesBeforeFuture()]).to.deep.equal([])
    end()
  })
})

describe('the queue of future-dated values', () => {
  const value = (atUs: number, text: string, { key = 'load', machine = 1 } = {}) => ({
    machineRef: asMachineRef(machine),
    atUs,
    key,
    type: 'LOAD',
    subtype: '',
    value: text,
  })
  const aheadOf = (bytes: number) =>
    new FutureValues({ bytes, companyOf: machineRef => (machineRef < 100 ? 'noisy' : 'quiet'), isShared: () => true })

  it('Future-dated values are due in the order of time, once each; of two at one instant the last published counts', () => {
    const ahead = aheadOf(1e6)
    for (const atUs of [30, 10, 20]) ahead.add(value(atUs, `${atUs}`))
    ahead.add(value(15, 'of another', { key: 'other' }))
    ahead.add(value(20, 'told last'))
    ahead.restore(value(20, 'read'))
    expect(ahead.due(9)).to.deep.equal([])
    expect(ahead.due(20).map(due => due.value)).to.deep.equal(['10', 'of another', 'told last'])
    expect(ahead.due(29)).to.deep.equal([])
    expect(ahead.due(1000).map(due => due.value)).to.deep.equal(['30'])
    expect([ahead.bytes, ahead.due(1e9)]).to.deep.equal([0, []])
  })

  it('Future-dated values of a machine with a fast clock are thinned evenly, and the newest is retained', () => {
    const ahead = aheadOf(1e6)
    const shown: number[] = []
    const aheadUs = 3_600
    for (let nowUs = 0; nowUs < 20_000; nowUs++) {
      ahead.add(value(nowUs + aheadUs, `${nowUs}`))
      shown.push(...ahead.due(nowUs).map(({ atUs }) => atUs))
      expect(ahead.bytes).to.be.below(10_000)
    }
    const gaps = shown.slice(1).map((atUs, i) => atUs - (shown[i] ?? 0))
    expect(shown.length).to.be.above(30)
    expect(Math.max(...gaps)).to.be.below(aheadUs / 2)
    const rest = ahead.due(Infinity)
    expect(rest.at(-1)?.value, 'the newest is never left out').to.equal('19999')
    expect(ahead.bytes).to.equal(0)
  })

  it('Future-dated values stay within their memory quota, with a fair share for each company', () => {
    const ahead = aheadOf(100_000)
    for (let i = 0; i < 5_000; i++) ahead.add(value(i, 'x', { key: `key ${i}`, machine: i % 50 }))
    expect(ahead.bytes).to.be.within(40_000, 50_000)
    expect(ahead.rejected).to.be.above(4_000)
    for (let i = 0; i < 20; i++) ahead.add(value(i, 'y', { key: `key ${i}`, machine: 100 }))
    const due = ahead.due(Infinity)
    expect(due.filter(({ machineRef }) => machineRef === 100)).to.have.length(20)
    expect(ahead.bytes).to.equal(0)
  })
})
