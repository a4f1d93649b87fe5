import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { SystemChecks, type SystemChecksDeps } from '../../../service/monitoring/system-checks.ts'
import { minuteMs } from '../../../shared/time/units.ts'

type State = Awaited<ReturnType<SystemChecksDeps['health']>>

/** Checks with a clock, the state of the service, and the ends of the topic of rejected samples. */
class Scene {
  nowMs = 0
  ends = [0, 0]
  state: State = { clickhouse: 'ok', log: 'ok', liveLag: { records: 0, seconds: 0 } }
  readonly checks: SystemChecks

  constructor(more: Partial<SystemChecksDeps> = {}) {
    this.checks = new SystemChecks({
      log: { endOffsets: async () => this.ends },
      health: async () => this.state,
      dataFolder: tmpdir(),
      clock: () => this.nowMs,
      ...more,
    })
  }

  async lagAt(records: number, seconds: number) {
    this.state = { ...this.state, liveLag: { records, seconds } }
    return (await this.checks.read()).lag
  }

  async deadLettersAt(minute: number, ...ends: number[]) {
    this.nowMs = minute * minuteMs
    this.ends = ends
    return (await this.checks.read()).deadLetters
  }
}

describe('SystemChecks', () => {
  it('The availability of log and store is 1 during an outage, and the disk has a percentage', async () => {
    const scene = new Scene()
    const { disk, ...others } = await scene.checks.read()
    expect(others.log).to.deep.equal({ value: 0, isLowerBound: false })
    expect(disk?.value).to.be.within(0, 100)
    scene.state = { ...scene.state, clickhouse: 'unavailable', log: 'unavailable' }
    const { log, store } = await scene.checks.read()
    expect([log?.value, store?.value]).to.deep.equal([1, 1])
  })

  it('The lag is a lower bound until a measurement has reached the newest samples', async () => {
    const scene = new Scene()
    expect(await scene.lagAt(5, 0)).to.deep.equal({ value: 0, isLowerBound: true })
    expect(await scene.lagAt(5, 5)).to.deep.equal({ value: 5, isLowerBound: true })
    expect(await scene.lagAt(5, 0.5)).to.deep.equal({ value: 0.5, isLowerBound: false })
    expect(await scene.lagAt(5, 130)).to.deep.equal({ value: 130, isLowerBound: false })
    expect(await new Scene().lagAt(0, 0)).to.deep.equal({ value: 0, isLowerBound: false })
  })

  it('Rejected samples of the last 10 minutes are counted, of all partitions', async () => {
    const scene = new Scene()
    expect(await scene.deadLettersAt(0, 7, 5)).to.deep.equal({ value: 0, isLowerBound: true })
    expect(await scene.deadLettersAt(4, 9, 6)).to.deep.equal({ value: 3, isLowerBound: true })
    expect(await scene.deadLettersAt(10, 9, 6)).to.deep.equal({ value: 3, isLowerBound: false })
    expect(await scene.deadLettersAt(13, 9, 6)).to.deep.equal({ value: 3, isLowerBound: false })
    expect(await scene.deadLettersAt(14, 9, 6)).to.deep.equal({ value: 0, isLowerBound: false })
    expect(await scene.deadLettersAt(15, 9, 8)).to.deep.equal({ value: 2, isLowerBound: false })
  })

  it('A check that fails is missing', async () => {
    const scene = new Scene({
      dataFolder: '/does/not/exist',
      log: { endOffsets: () => Promise.reject(new Error('x')) },
    })
    const readings = await scene.checks.read()
    expect(readings).to.have.keys('lag', 'log', 'store')
  })
})
