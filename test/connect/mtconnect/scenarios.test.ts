import { assert } from 'chai'
import { defaultConnectorMachine } from '../../../schema/records/connector.ts'
import { lathe, latheId, mill, millId, Scenario, type ScenarioOptions } from './scenario.ts'

const saw = [{ id: 'exec3', name: 'execution', category: 'EVENT', type: 'EXECUTION' }] as const

describe('MTConnect connector and a faulty agent', () => {
  async function run(steps: (scenario: Scenario) => Promise<void>, options: ScenarioOptions = {}): Promise<void> {
    const scenario = await Scenario.start(options)
    try {
      await steps(scenario)
      await scenario.readAll()
      scenario.check()
    } finally {
      await scenario.end()
    }
  }

  it('An agent that keeps everything is read as it was fed', () =>
    run(async scenario => {
      const { agent, connector } = scenario
      scenario.work(20)
      scenario.observe('sys', 'Fault', { code: '7', message: 'Door open' })
      scenario.observe('sys', 'Normal', { code: '7' })
      scenario.observe('part', '1')
      scenario.observe('count', '12')
      await scenario.readAll()
      assert.equal(connector.totals.observations, agent.next - 1)
      assert.equal(connector.totals.reconnects, 0)
      assert.deepEqual(connector.states.at(-1), 'connected')
      const direct = agent.buffered().map(({ sequence, value, timestamp }) => [sequence, value, timestamp])
      const delivered = [...connector.log.values()].filter(({ sequence }) => sequence !== undefined)
      assert.deepEqual(
        delivered.map(({ sequence, value, timestamp }) => [sequence, value, timestamp]),
        direct,
      )
    }))

  it('A cut connection loses nothing that the agent has kept', () =>
    run(async scenario => {
      scenario.work(10)
      await scenario.readAll()
      await scenario.cut(() => scenario.work(30))
      await scenario.readAll()
      const { totals, errors } = scenario.connector
      assert.isAbove(totals.reconnects, 0)
      assert.equal(totals.gaps, 0)
      assert.include(errors.at(-1)?.message ?? '', 'cannot be read')
    }))

  it('An agent that hangs is left after two heartbeats and a second, and read on afterwards', () =>
    run(async scenario => {
      const { agent, connector } = scenario
      await scenario.readAll()
      agent.faults.isHanging = true
      scenario.work(12)
      await connector.until(() => connector.errors.length > 0, 'the connection was not ended')
      assert.include(connector.errors[0]?.message ?? '', 'no byte for 1.12 s')
      agent.faults.isHanging = false
      await scenario.readAll()
      assert.equal(connector.totals.gaps, 0)
    }))

  it('A document that ends in the middle with its connection is read again', () =>
    run(async scenario => {
      const { agent, connector } = scenario
      await scenario.readAll()
      agent.faults.halfDocuments = 2
      scenario.work(8)
      await scenario.readAll()
      assert.equal(agent.faults.halfDocuments, 0)
      assert.isAtLeast(connector.totals.reconnects, 2)
      assert.equal(connector.totals.duplicates, 0)
    }))

  it('Documents that are sent twice count once', () =>
    run(async scenario => {
      const { agent, connector } = scenario
      await scenario.readAll()
      agent.faults.repeatsDocuments = true
      for (let i = 0; i < 4; i++) {
        scenario.work(5)
        scenario.observe('part', '1')
        await scenario.readAll()
      }
      await connector.until(() => connector.totals.duplicates >= 24, 'duplicates are not counted')
      assert.equal(connector.appended, connector.log.size)
    }))

  it('An agent that loses its adapter is UNAVAILABLE until the values since before that come again', () =>
    run(async scenario => {
      scenario.observe('exec', 'ACTIVE')
      scenario.observe('sys', 'Fault', { code: '7' })
      scenario.observe('part', '1')
      await scenario.readAll()
      for (const id of ['exec', 'mode', 'part', 'count']) scenario.observe(id, 'UNAVAILABLE')
      scenario.observe('sys', 'Unavailable')
      await scenario.readAll()
      // The adapter sends its values again, with the times since when they hold.
      scenario.observe('exec', 'ACTIVE', { ageMs: 500 })
      scenario.observe('sys', 'Fault', { code: '7', ageMs: 400 })
      scenario.observe('part', '1', { ageMs: 300 })
      scenario.observe('count', '12', { ageMs: 300 })
      await scenario.readAll()
      scenario.observe('exec', 'READY')
      await scenario.readAll()
      const restated = [...scenario.connector.log.values()].filter(({ sequence }) => sequence === undefined)
      assert.sameMembers(
        restated.map(({ key }) => key),
        ['execution', 'system'],
      )
    }))

  for (const isCut of [true, false]) {
    const how = isCut ? 'with' : 'without'
    it(`An agent that restarts ${how} ending its connections has a gap, and its new run is read from the start`, () =>
      run(async scenario => {
        const { connector } = scenario
        scenario.work(20)
        scenario.observe('sys', 'Fault', { code: '7' })
        await scenario.readAll()
        scenario.clockMs += 60_000
        scenario.restart('2', { keepsConnections: !isCut })
        // The adapter connects to the new run and sends what holds since before.
        scenario.observe('exec', 'ACTIVE', { ageMs: 90_000 })
        scenario.observe('sys', 'Fault', { code: '7', ageMs: 80_000 })
        await scenario.readAll()
        assert.equal(connector.totals.restarts, 1)
        assert.equal(connector.totals.gaps, 1)
        assert.equal(connector.gaps[0]?.lost, null)
        assert.isAtLeast((connector.gaps[0]?.toMs ?? 0) - (connector.gaps[0]?.fromMs ?? 0), 60_000)
      }))
  }

  it('A gap has the times of the own clock, also if the clock of the agent differs by hours', () => {
    const clock = () => Date.parse('2024-05-06T04:00:00Z')
    return run(
      async scenario => {
        scenario.work(5)
        await scenario.readAll()
        scenario.clockMs += 60_000
        scenario.restart('2')
        await scenario.readAll()
        const [{ fromMs, toMs } = { fromMs: 0, toMs: 0 }] = scenario.connector.gaps
        assert.equal(toMs, clock())
        assert.approximately(toMs - fromMs, 60_000, 1_000)
      },
      { connector: { clock } },
    )
  })

  it('An agent that restarts with the same instanceId is recognized by its lower sequences', () =>
    run(async scenario => {
      scenario.work(30)
      await scenario.readAll()
      await scenario.cut(() => {
        scenario.restart('1')
        scenario.work(5)
      })
      await scenario.readAll()
      assert.equal(scenario.connector.totals.restarts, 1)
    }))

  for (const errors of [
    { status: 400, isNamed: false },
    { status: 200, isNamed: true },
  ] as const) {
    const form = errors.isNamed ? 'OutOfRange with status 200' : 'Error with status 400'
    it(`After an overrun, only what changed is unknown in between (${form})`, () =>
      run(
        async scenario => {
          const { connector } = scenario
          scenario.observe('mode', 'AUTOMATIC')
          scenario.observe('sys', 'Fault', { code: '7' })
          scenario.observe('sys', 'Warning', { code: '8' })
          scenario.observe('exec', 'ACTIVE')
          await scenario.readAll()
          await scenario.cut(() => {
            scenario.observe('sys', 'Normal', { code: '7' })
            scenario.observe('part', '1')
            scenario.observe('count', '3')
            scenario.work(70)
            scenario.overrun()
          })
          await scenario.readAll()
          assert.equal(connector.totals.gaps, 1)
          assert.equal(connector.gaps[0]?.lost, connector.totals.lost)
          const markers = [...connector.log.values()].filter(sample => sample.sequence === undefined)
          assert.sameMembers(
            markers.map(({ key, value, nativeCode = '' }) => `${key} ${value} ${nativeCode}`),
            ['execution UNAVAILABLE ', 'PartCount UNAVAILABLE ', 'part UNAVAILABLE ', 'system NORMAL 7'],
          )
        },
        { errors },
      ))
  }

  it('An overrun during a stream is read from what the agent still has', () =>
    run(async scenario => {
      const { agent, connector } = scenario
      await scenario.readAll()
      scenario.work(90)
      scenario.overrun()
      await scenario.readAll()
      assert.equal(connector.totals.gaps, 1)
      assert.equal(connector.totals.reconnects, 0)
      assert.lengthOf(
        agent.requests.filter(request => request === '/current'),
        2,
      )
    }))

  it('The first connection may deliver the present values only', () =>
    run(
      async scenario => {
        scenario.model.beginAt(scenario.agent.present(), scenario.agent.next, null)
        await scenario.readAll()
        scenario.work(5)
        await scenario.cut(() => scenario.work(5))
        await scenario.readAll()
      },
      { connector: { options: { start: 'now' } } },
    ))

  it('After a stored position of another shape, the agent is read from the start of its buffer', () =>
    run(
      async scenario => {
        const { agent, connector, model } = scenario
        model.beginAt(agent.present(), agent.next, null)
        await scenario.readAll()
        await connector.kill()
        scenario.work(20)
        connector.damagePosition()
        connector.start()
        await scenario.readAll()
        assert.deepEqual(connector.errors, [])
        assert.match(connector.warnings.join(), /stored position cannot be read/)
      },
      { connector: { options: { start: 'now' } } },
    ))

  it('Times of an agent get an offset, as do those of a machine, and later ones go back', () =>
    run(
      async scenario => {
        const { connector, model } = scenario
        await scenario.readAll()
        scenario.observe('exec', 'ACTIVE')
        scenario.observe('exec', 'READY', { ageMs: 100 })
        await scenario.readAll()
        assert.equal(connector.totals.backwards, 1)
        const times = (samples: typeof connector.log) =>
          [...samples.values()].map(({ timestamp }) => Date.parse(timestamp)).sort((a, b) => a - b)
        assert.deepEqual(
          times(connector.log),
          times(model.samples).map(ms => ms - 3_500),
        )
        model.samples.clear()
        for (const [identity, sample] of connector.log) model.samples.set(identity, sample)
      },
      {
        connector: {
          machines: [{ ...defaultConnectorMachine, source: 'Mill', machineId: millId, timeOffsetMs: 500 }],
          options: { timeOffsetMs: -4_000 },
        },
      },
    ))

  it('An agent is not read further while samples wait', () =>
    run(async scenario => {
      const { agent, connector } = scenario
      await scenario.readAll()
      connector.hasSpace = false
      scenario.work(1)
      await scenario.readAll()
      const { observations } = connector.totals
      for (let i = 0; i < 10; i++) {
        scenario.work(1)
        await connector.until(() => agent.connections > 0, 'not connected')
      }
      assert.isAtMost(connector.totals.observations, observations)
      connector.addSpace()
    }))

  it('An agent that is faster than the requests is read after an overrun', () =>
    run(
      async scenario => {
        const { agent, connector } = scenario
        scenario.work(50)
        await scenario.readAll()
        await scenario.cut(() => scenario.work(90))
        // Each request finds that the agent has discarded the observations that it just had.
        let answered = agent.requests.length
        const add = setInterval(() => {
          // Once per request, so that the number of gaps does not depend on the load.
          if (agent.requests.length === answered) return
          answered = agent.requests.length
          if (agent.requests.at(-1)?.startsWith('/current') === true) scenario.work(3)
        }, 0)
        await connector.until(() => connector.totals.lost > 0, 'no overrun')
        const lostBefore = connector.totals.lost
        await connector.until(() => connector.states.at(-1) === 'connected', 'the agent is not read')
        clearInterval(add)
        assert.isAtMost(connector.totals.gaps, 6, String(lostBefore))
        scenario.model.lost = connector.totals.lost
        await connector.readAll(agent)
        scenario.model.samples.clear()
        for (const [identity, sample] of connector.log) scenario.model.samples.set(identity, sample)
        scenario.model.next = agent.next
      },
      { bufferSize: 64 },
    ))

  it('Items that the probe document gets later have its names, and used keys stay', () =>
    run(async scenario => {
      const { agent, model } = scenario
      scenario.work(3)
      await scenario.readAll()
      const added = { id: 'prog', name: 'program', category: 'EVENT', type: 'x:PROGRAM_NAME' } as const
      const renamed = mill.items.map(item => (item.id === 'mode' ? { ...item, name: 'another' } : item))
      model.addItems(millId, [added])
      await scenario.cut(() => {
        agent.changeDevices([{ ...mill, items: [...renamed, added] }])
        scenario.observe('prog', 'O1000')
        scenario.observe('mode', 'MANUAL')
      })
      await scenario.readAll()
      const keys = [...scenario.connector.log.values()].map(({ key, type }) => `${key} ${type}`)
      assert.includeMembers(keys, ['program x:PROGRAM_NAME', 'mode CONTROLLER_MODE'])
      assert.notInclude(keys, 'another CONTROLLER_MODE')
    }))

  it('Unknown items are derived from their elements until the probe document is read again after 10 s', () =>
    run(async scenario => {
      const { agent, connector, model } = scenario
      await scenario.readAll()
      const added = { id: 'prog', name: 'program', category: 'EVENT', type: 'PROGRAM_NAME' } as const
      model.addItems(millId, [added])
      agent.changeDevices([{ ...mill, items: [...mill.items, added] }])
      scenario.observe('prog', 'O1000')
      await scenario.readAll()
      const probes = () => agent.requests.filter(request => request === '/probe').length
      assert.equal(probes(), 1)
      scenario.clockMs += 10_000
      scenario.observe('prog', 'O1001')
      await scenario.readAll()
      scenario.observe('prog', 'O1002')
      await scenario.readAll()
      assert.equal(probes(), 2)
      assert.equal(connector.totals.reconnects, 0)
    }))

  it('A wrong clock of the agent changes no time, and an offset is proposed', () =>
    run(async scenario => {
      const { agent, connector } = scenario
      await scenario.readAll()
      agent.faults.clockOffsetMs = 7_200_000
      scenario.work(3)
      await scenario.readAll()
      await connector.until(() => connector.skew.proposedOffsetMs(0) === -7_200_000, 'no skew')
      // The samples of a live document follow the reading of its time.
      assert.equal(connector.readingsAtDelivery, connector.clockReadings)
      agent.faults.clockOffsetMs = 0
      scenario.work(3)
    }))

  it('What the log has not acknowledged is delivered again after the connector was killed', () =>
    run(async scenario => {
      const { connector } = scenario
      scenario.work(5)
      await scenario.readAll()
      connector.isLogAvailable = false
      scenario.work(10)
      scenario.observe('part', '1')
      await connector.until(() => connector.waiting >= 2, 'nothing waits for the log')
      await connector.kill()
      connector.isLogAvailable = true
      scenario.work(10)
      connector.start()
      await scenario.readAll()
      assert.equal(connector.totals.gaps, 0)
    }))

  it('What was delivered after the stored position counts once', () =>
    run(async scenario => {
      const { connector } = scenario
      scenario.work(5)
      await scenario.readAll()
      connector.storesPositions = false
      scenario.observe('exec', 'UNAVAILABLE')
      await scenario.readAll()
      scenario.observe('exec', 'ACTIVE', { ageMs: 60_000 })
      scenario.observe('part', '1')
      await scenario.readAll()
      await connector.kill()
      connector.storesPositions = true
      connector.start()
      await scenario.readAll()
      assert.isAbove(connector.appended, connector.log.size)
    }))

  it('A connector that is killed over an overrun and a restart continues from its position', () =>
    run(async scenario => {
      const { connector } = scenario
      scenario.work(20)
      await scenario.readAll()
      await connector.kill()
      scenario.work(80)
      scenario.overrun({ isKilled: true })
      connector.start()
      await scenario.readAll()
      await connector.kill()
      scenario.clockMs += 5_000
      scenario.restart('2')
      scenario.observe('exec', 'ACTIVE', { ageMs: 4_000 })
      connector.start()
      await scenario.readAll()
      assert.equal(connector.totals.gaps, 2)
    }))

  it('A log that is unavailable for a while delays samples and loses none', () =>
    run(async scenario => {
      const { connector } = scenario
      await scenario.readAll()
      connector.isLogAvailable = false
      scenario.work(10)
      await connector.until(() => connector.waiting >= 2, 'nothing waits for the log')
      connector.resumeLog()
      scenario.work(10)
      await scenario.readAll()
    }))

  it('An agent that does not stream is polled', () =>
    run(
      async scenario => {
        scenario.work(30)
        await scenario.readAll()
        scenario.work(3)
        await scenario.readAll()
        assert.equal(scenario.connector.totals.reconnects, 0)
      },
      { canStream: false, connector: { options: { count: 7 } } },
    ))

  it('A document that is not well-formed is skipped the third time, and only the observation in it', () =>
    run(async scenario => {
      const { agent, connector, model } = scenario
      scenario.work(10)
      await scenario.readAll()
      const bad = agent.next + 4
      agent.faults.malformedSequences.add(bad)
      await scenario.cut(() => scenario.work(12))
      await connector.readAll(agent)
      model.read(
        agent.buffered().filter(({ sequence }) => sequence !== bad),
        scenario.clockMs,
      )
      assert.equal(connector.totals.poison, 1)
      assert.lengthOf(connector.warnings, 3)
      assert.equal(connector.totals.holes, 0)
    }))

  it('Several devices of an agent belong to several machines, and others are not read', () =>
    run(
      async scenario => {
        const { agent, connector, model } = scenario
        model.addItems(latheId, lathe.items)
        for (let i = 0; i < 5; i++) {
          scenario.work(3)
          scenario.observe('exec2', i % 2 === 0 ? 'ACTIVE' : 'READY')
          scenario.observe('exec3', i % 2 === 0 ? 'ACTIVE' : 'READY')
        }
        await scenario.readAll()
        const request = agent.requests.find(one => one.startsWith('/sample')) ?? ''
        const path = new URL(request, 'http://agent').searchParams.get('path')
        assert.equal(path, '//Device[@uuid="uuid-Mill"]|//Device[@uuid="uuid-Lathe"]')
        assert.equal(connector.totals.holes, 0)
        assert.lengthOf([...new Set([...connector.log.values()].map(({ machineId }) => machineId))], 2)
      },
      {
        devices: [mill, lathe, { ...lathe, name: 'Saw', uuid: 'uuid-Saw', items: saw }],
        multipart: 'x-mixed-replace',
        connector: {
          machines: [
            { ...defaultConnectorMachine, source: 'uuid-Mill', machineId: millId },
            { ...defaultConnectorMachine, source: 'Lathe', machineId: latheId },
          ],
        },
      },
    ))
})
