import { assert } from 'chai'
import { requireMosquitto } from '../../support/mosquitto.ts'
import { Scenario, type ScenarioOptions } from './scenario.ts'

/** The broker does not close the connection while it receives nothing from the connector. */
const deafness: ScenarioOptions = { options: { sourceHeartbeatMs: 60_000 } }

describe('MQTT connector and a faulty broker', () => {
  before(function () {
    requireMosquitto(this)
  })

  async function run(steps: (scenario: Scenario) => Promise<void>, options: ScenarioOptions = {}): Promise<void> {
    const scenario = await Scenario.start(options)
    try {
      await steps(scenario)
      await scenario.readAll()
      await scenario.stop()
      await scenario.check()
    } finally {
      await scenario.end()
    }
  }

  for (const version of [4, 5] as const)
    it(`MQTT ${version === 4 ? '3.1.1' : '5'}: every message is delivered once, over two connections`, () =>
      run(
        async scenario => {
          await scenario.work(10)
          await scenario.alarms([
            { no: 1, on: true },
            { no: 2, on: true },
          ])
          await scenario.alarms([{ no: 1, on: false }])
          await scenario.readAll()
          scenario.proxy.cut()
          await scenario.work(10)
          await scenario.readAll()
          assert.equal(scenario.health.totals.gaps, 0)
        },
        { version },
      ))

  it('A cut connection loses nothing that the broker has kept', () =>
    run(async scenario => {
      await scenario.work(6)
      scenario.proxy.faults.isRefusing = true
      scenario.proxy.cut()
      await scenario.work(60)
      scenario.proxy.faults.isRefusing = false
      await scenario.readAll()
      const { totals, lastError } = scenario.health
      assert.isAbove(totals.reconnects, 0)
      assert.equal(totals.gaps, 0)
      assert.include(lastError?.message ?? '', 'cannot be read')
    }))

  it('A broker that accepts connections and closes them without an answer is reported as one that cannot be read', () =>
    run(async scenario => {
      await scenario.work(3)
      scenario.proxy.faults.isRefusing = true
      scenario.proxy.cut()
      await scenario.until(() => scenario.proxy.refused > 2, 'no connection was refused')
      assert.match(
        scenario.health.lastError?.message ?? '',
        /cannot be read: (?:it closed the connection|.*ECONNRESET)/,
      )
      await scenario.work(3)
      scenario.proxy.faults.isRefusing = false
    }))

  it('A broker that ends connections without an answer while it stops is read with the version of before', () =>
    run(async scenario => {
      scenario.proxy.faults.isRefusing = true
      scenario.proxy.cut()
      await scenario.until(() => scenario.proxy.refused >= 3, 'the connector does not connect again')
      scenario.proxy.faults.isRefusing = false
      await scenario.until(() => scenario.health.state === 'connected', 'the connector is not connected')
      await scenario.state(2)
      await scenario.readAll()
      assert.deepEqual(new Set(scenario.proxy.versions), new Set([5]))
    }))

  it('A broker without MQTT 5 is read with 3.1.1, and after a cut directly with 3.1.1', () =>
    run(
      async scenario => {
        await scenario.work(3)
        await scenario.readAll()
        scenario.proxy.cut()
        await scenario.work(3)
        await scenario.readAll()
        const [first, ...later] = scenario.proxy.versions
        assert.deepEqual([first, new Set(later)], [5, new Set([4])])
      },
      { isRefusingVersion5: true },
    ))

  it('A broker that is replaced by one without MQTT 5 is read with 3.1.1 after the lifetime of its known version', () =>
    run(
      async scenario => {
        await scenario.work(3)
        await scenario.readAll()
        scenario.proxy.faults.isRefusingVersion5 = true
        scenario.proxy.cut()
        await scenario.work(3)
        await scenario.readAll()
        assert.deepEqual([scenario.proxy.versions[0], scenario.proxy.versions.at(-1)], [5, 4])
      },
      { versionLifetimeMs: 0 },
    ))

  it('A connection that is cut again and again loses nothing, and counts nothing twice', () =>
    run(async scenario => {
      for (let i = 0; i < 6; i++) {
        await scenario.work(15)
        scenario.proxy.cut()
      }
      await scenario.readAll()
      assert.equal(scenario.health.totals.gaps, 0)
    }))

  it('Half a message before a cut gives no sample, and the whole message counts once', () =>
    run(async scenario => {
      await scenario.work(3)
      await scenario.readAll()
      scenario.proxy.faults.isHalving = true
      await scenario.part()
      await scenario.until(() => scenario.health.totals.reconnects === 1, 'the connection was not ended')
      await scenario.work(3)
      await scenario.readAll()
      const { gaps, unmapped, rejected } = scenario.health.totals
      assert.deepEqual({ gaps, unmapped, rejected }, { gaps: 0, unmapped: 0, rejected: {} })
    }, deafness))

  it('Messages of another shape are counted, and a changed mapping continues their key', () =>
    run(async scenario => {
      await scenario.work(6)
      await scenario.readAll()
      const publish = (code: number, atUs: number) =>
        scenario.publish('plant/mill/state', JSON.stringify({ status: { code }, at: atUs }))
      for (let i = 0; i < 5; i++) await publish(2, scenario.nextUs())
      await scenario.part()
      await scenario.until(() => scenario.health.totals.unmapped === 5, 'not counted')
      await scenario.readAll()
      const shape = { value: '$.status.code', time: '$.at', timeUnit: 'us', map: { 1: 'READY', 2: 'ACTIVE' } } as const
      scenario.map([{ from: 'plant/{machine}/state', key: 'execution', type: 'EXECUTION', ...shape }])
      for (const code of [1, 2, 1]) {
        const atUs = scenario.nextUs()
        await publish(code, atUs)
        scenario.model.publish('execution', code === 1 ? 'READY' : 'ACTIVE', { atUs })
      }
      await scenario.part()
      await scenario.readAll()
      assert.equal(scenario.health.totals.gaps, 0)
    }))

  it('A broker that hangs is left after one and a half keep-alives, and read on afterwards', () =>
    run(async scenario => {
      await scenario.work(3)
      await scenario.readAll()
      scenario.proxy.faults.isHanging = true
      await scenario.work(6)
      await scenario.until(() => scenario.health.state === 'disconnected', 'the connection was not ended')
      assert.include(scenario.health.lastError?.message ?? '', 'sent nothing')
      scenario.proxy.cut()
      scenario.proxy.faults.isHanging = false
      await scenario.readAll()
      assert.equal(scenario.health.totals.gaps, 0)
    }))

  it('Messages that a device publishes twice count once if they have a time', () =>
    run(async scenario => {
      for (let i = 0; i < 10; i++) {
        const atUs = scenario.nextUs()
        await scenario.state(1 + (i % 2), { atUs })
        await scenario.state(1 + (i % 2), { atUs })
      }
      await scenario.readAll()
      await scenario.until(() => scenario.health.totals.duplicates === 10, 'duplicates')
    }))

  it('Messages that the broker sends twice because it did not receive acknowledgements count once', () =>
    run(async scenario => {
      await scenario.part()
      await scenario.readAll()
      scenario.proxy.faults.isDeaf = true
      for (let i = 0; i < 10; i++) await scenario.part()
      await scenario.readAll()
      scenario.proxy.faults.isRefusing = true
      scenario.proxy.cut()
      scenario.proxy.faults.isDeaf = false
      for (let i = 0; i < 10; i++) await scenario.part()
      scenario.proxy.faults.isRefusing = false
      await scenario.readAll()
      assert.isAtLeast(scenario.health.totals.duplicates, 10)
    }, deafness))

  it('Messages are not acknowledged while the log is unavailable, and count once when the broker sends them again', () =>
    run(async scenario => {
      await scenario.work(3)
      await scenario.readAll()
      scenario.isLogAvailable = false
      for (let i = 0; i < 5; i++) await scenario.part()
      await scenario.until(() => scenario.health.waitingBytes > 0, 'nothing waits')
      scenario.proxy.cut()
      await scenario.part()
      scenario.isLogAvailable = true
      await scenario.readAll()
      assert.isAtMost(scenario.health.totals.duplicates, 5)
    }))

  it('After a crash without acknowledgement, the broker sends the messages again', () =>
    run(async scenario => {
      await scenario.work(3)
      await scenario.readAll()
      await scenario.until(() => scenario.health.waitingBytes === 0, 'samples wait')
      scenario.isLogAvailable = false
      await scenario.work(9)
      await scenario.until(() => scenario.health.waitingBytes > 0, 'nothing waits')
      await scenario.crash()
      scenario.isLogAvailable = true
      await scenario.connect()
      await scenario.readAll()
    }))

  it('After a crash, messages whose acknowledgement the broker did not receive count once', () =>
    run(async scenario => {
      await scenario.part()
      await scenario.readAll()
      scenario.proxy.faults.isDeaf = true
      for (let i = 0; i < 5; i++) await scenario.part()
      await scenario.readAll()
      // The position is stored within 20 ms.
      await scenario.state(2)
      await scenario.readAll()
      await scenario.until(async () => (await scenario.storedHashes()) >= 7, 'the position is not stored')
      await scenario.crash()
      scenario.proxy.faults.isDeaf = false
      await scenario.connect()
      await scenario.part()
      await scenario.readAll()
      assert.isAtLeast(scenario.health.totals.duplicates, 6)
    }, deafness))

  for (const isLogAvailable of [true, false])
    it(`After a crash before the position is stored, a message without a time counts once${isLogAvailable ? '' : ' while the log is unavailable'}`, () =>
      run(
        async scenario => {
          await scenario.part()
          await scenario.readAll()
          scenario.proxy.faults.isDeaf = true
          scenario.isLogAvailable = isLogAvailable
          for (let i = 0; i < 5; i++) await scenario.part()
          if (isLogAvailable) await scenario.readAll()
          else await scenario.until(() => scenario.health.buffer?.samples === 5, 'the buffer lacks samples')
          await scenario.crash()
          scenario.proxy.faults.isDeaf = false
          await scenario.connect()
          scenario.isLogAvailable = true
          await scenario.part()
          await scenario.readAll()
          assert.isAtLeast(scenario.health.totals.duplicates, 5)
        },
        { ...deafness, isBuffered: true },
      ))

  it('After one of two processes is killed, the other one continues, and the buffer of the killed one loses nothing', () =>
    run(
      async scenario => {
        await scenario.work(3)
        await scenario.readAll()
        scenario.proxy.faults.isDeaf = true
        scenario.isLogAvailable = false
        await scenario.work(6)
        await scenario.until(() => scenario.health.buffer?.samples === 6, 'the buffer lacks samples')
        await scenario.until(async () => (await scenario.storedHashes()) >= 6, 'the position is not stored')
        await scenario.crash()
        scenario.proxy.faults.isDeaf = false
        await scenario.connectAnother()
        await scenario.work(6)
        scenario.isLogAvailable = true
        await scenario.resumeKilled()
        await scenario.readAll()
        const { gaps, duplicates } = scenario.health.totals
        assert.equal(gaps, 0)
        assert.isAtLeast(duplicates, 6)
      },
      { ...deafness, isBuffered: true, positionIntervalMs: 20 },
    ))

  it('A broker that keeps its sessions over a restart loses nothing', () =>
    run(
      async scenario => {
        await scenario.work(6)
        await scenario.readAll()
        scenario.proxy.faults.isRefusing = true
        scenario.proxy.cut()
        await scenario.work(12)
        await scenario.restartBroker()
        scenario.proxy.faults.isRefusing = false
        await scenario.work(3)
        await scenario.readAll()
        assert.equal(scenario.health.totals.gaps, 0)
      },
      { broker: { isPersistent: true } },
    ))

  it('A broker that loses its sessions causes one gap, with markers for events and conditions', () =>
    run(async scenario => {
      await scenario.work(6)
      await scenario.alarms([{ no: 7, on: true }])
      await scenario.publish('plant/mill/speed', '{"v":12}')
      scenario.model.publish('speed', '12', { holds: false })
      await scenario.readAll()
      await scenario.restartBroker()
      scenario.model.lose('all')
      await scenario.until(() => scenario.health.totals.gaps === 1, 'no gap')
      await scenario.until(() => scenario.health.state === 'connected', 'not connected')
      await scenario.work(6)
      await scenario.readAll()
      assert.isNull(scenario.health.lastGap?.lost)
    }))

  it('A retained value of the time before a gap is restated after its marker', () =>
    run(
      async scenario => {
        await scenario.state(2, { retain: true })
        const [first] = await scenario.readAll().then(() => scenario.samples())
        await scenario.stopAndForget()
        scenario.model.lose('all')
        scenario.model.publish('execution', 'ACTIVE')
        await scenario.connect()
        await scenario.readAll()
        const [, marker, restated] = await scenario.samples()
        assert(first && marker && restated)
        assert.deepEqual([marker.value, restated.atUs - marker.atUs], ['UNAVAILABLE', 1])
      },
      { broker: { isPersistent: true } },
    ))

  it('A lost connection leaves a gap only in the keys whose last message had QoS 0', () =>
    run(async scenario => {
      await scenario.state(2)
      await scenario.part(0)
      await scenario.readAll()
      scenario.proxy.faults.isRefusing = true
      scenario.proxy.cut()
      await scenario.until(() => scenario.health.state === 'disconnected', 'not disconnected')
      await scenario.publish('plant/mill/part', '{"n":1}', { qos: 0 })
      scenario.model.lose('qos0')
      await scenario.state(1)
      scenario.proxy.faults.isRefusing = false
      await scenario.until(() => scenario.health.state === 'connected', 'not connected')
      await scenario.part()
      await scenario.readAll()
      assert.equal(scenario.health.totals.gaps, 1)
    }))

  it('Retained values come at each subscription and count once; without a time, if they differ from the last value', () =>
    run(async scenario => {
      await scenario.state(2, { retain: true })
      await scenario.publish('plant/mill/mode', '"AUTOMATIC"', { retain: true })
      scenario.model.publish('mode', 'AUTOMATIC')
      await scenario.readAll()
      for (let i = 0; i < 3; i++) {
        scenario.proxy.cut()
        await scenario.until(() => scenario.health.totals.reconnects > i, 'not connected again')
        await scenario.until(() => scenario.health.state === 'connected', 'not connected')
        await scenario.state(1)
        await scenario.readAll()
      }
      await scenario.stopAndForget()
      await scenario.publish('plant/mill/mode', '"MANUAL"', { retain: true })
      scenario.model.lose('all')
      scenario.model.publish('mode', 'MANUAL')
      // The state of the time before is restated.
      scenario.model.publish('execution', 'ACTIVE')
      await scenario.connect()
    }))

  it('A device with a wrong clock is rejected and counted, and stops no other value', () =>
    run(async scenario => {
      await scenario.work(6)
      const twoDays = 2 * 86_400_000_000
      for (let i = 0; i < 4; i++)
        await scenario.publish('plant/mill/state', JSON.stringify({ code: 2, ts: scenario.nextUs() + twoDays }))
      await scenario.work(6)
      await scenario.readAll()
      await scenario.until(() => scenario.health.totals.rejected['future_timestamp'] === 4, 'not rejected')
      await scenario.state(2, { atUs: scenario.nextUs() - 3_600_000_000 })
    }))

  it('After a value of a wrong clock, a gap marker follows the samples that were accepted', () =>
    run(async scenario => {
      await scenario.work(6)
      const twoDays = 2 * 86_400_000_000
      await scenario.publish('plant/mill/state', JSON.stringify({ code: 2, ts: scenario.nextUs() + twoDays }))
      await scenario.readAll()
      await scenario.until(() => scenario.health.totals.rejected['future_timestamp'] === 1, 'not rejected')
      await scenario.stopAndForget()
      scenario.model.lose('all')
      await scenario.connect()
    }))

  it('Payloads that are malformed, mutated or too large are counted and stop nothing', () =>
    run(async scenario => {
      await scenario.work(3)
      await scenario.publish('plant/mill/mode', Buffer.alloc(1_048_577, 0x20))
      await scenario.publish('plant/mill/part', '{"n":')
      await scenario.publish('plant/mill/part', '')
      await scenario.publish('plant/mill/part', Buffer.from([0xff, 0xfe, 0]))
      await scenario.publish('plant/mill/part', '{"n":[1]}')
      await scenario.publish('plant/mill/part', '['.repeat(100_000))
      await scenario.publish('plant/saw/part', '{"n":1}')
      await scenario.publish('takt/samples', '{"samples":')
      await scenario.publish('takt/samples', Buffer.alloc(1_048_577, 0x20))
      const text = '{"code":9,"ts":1715000000000000}'
      for (let i = 0; i < text.length; i++)
        await scenario.publish('plant/mill/state', `${text.slice(0, i)}\u0001${text.slice(i + 1)}`)
      await scenario.work(3)
      await scenario.readAll()
      const { unmapped, rejected, reconnects } = scenario.health.totals
      assert.deepEqual(
        { unmapped, rejected, reconnects },
        { unmapped: 7 + text.length, rejected: { invalid_body: 2 }, reconnects: 0 },
      )
    }))

  for (const version of [4, 5] as const)
    it(`MQTT ${version === 4 ? '3.1.1' : '5'}: a message of 5 MiB stops no other one, also over a slow network`, () =>
      run(
        async scenario => {
          await scenario.work(3)
          await scenario.readAll()
          // A broker is left if it sends nothing for 4.5 s.
          scenario.proxy.faults.slownessMs = 75
          const large = Buffer.alloc(5 << 20, 0x20)
          await scenario.publish('plant/mill/mode', large)
          await scenario.publish('takt/samples', large)
          await scenario.work(3)
          await scenario.readAll()
          scenario.proxy.faults.slownessMs = 0
          await scenario.work(3)
          await scenario.readAll()
          const { unmapped, rejected, reconnects } = scenario.health.totals
          // A broker of version 5 discards them itself.
          assert.deepEqual(
            { unmapped, rejected, reconnects },
            version === 5
              ? { unmapped: 0, rejected: {}, reconnects: 0 }
              : { unmapped: 1, rejected: { invalid_body: 1 }, reconnects: 0 },
          )
        },
        { version, options: { sourceHeartbeatMs: 3_000 } },
      ))

  it('A queue of the broker that may have been too short is reported without markers', () =>
    run(
      async scenario => {
        for (let i = 0; i < 6; i++) {
          await scenario.part()
          await scenario.readAll()
        }
        scenario.proxy.faults.isRefusing = true
        scenario.proxy.cut()
        await scenario.until(() => scenario.health.state === 'disconnected', 'not disconnected')
        await new Promise(resolve => setTimeout(resolve, 2_500))
        for (let i = 0; i < 30; i++) await scenario.publish('plant/mill/part', '{"n":1}')
        scenario.proxy.faults.isRefusing = false
        await scenario.until(() => scenario.health.totals.gaps === 1, 'no gap')
        assert.include(scenario.health.lastError?.message ?? '', 'broker_queue')
        await scenario.state(2)
        const hasState = async () => (await scenario.samples()).some(({ key }) => key === 'execution')
        await scenario.until(hasState, 'the message after the queue is missing')
        const kept = (await scenario.samples()).filter(({ key }) => key === 'part').length - 6
        assert.isBelow(kept, 10)
        for (let i = 0; i < kept; i++) scenario.model.publish('part', '1')
      },
      {
        broker: { settings: ['allow_anonymous true', 'max_queued_messages 5', 'max_inflight_messages 1'] },
        options: { brokerQueue: 5 },
      },
    ))

  it('The last will of a device makes all its keys unavailable', () =>
    run(async scenario => {
      await scenario.work(4)
      await scenario.alarms([{ no: 7, on: true }])
      await scenario.readAll()
      await scenario.publish('plant/mill/lwt', 'offline')
      scenario.model.loseDevice()
      await scenario.readAll()
    }))

  it('Values of one microsecond keep their order', () =>
    run(async scenario => {
      const atUs = scenario.nextUs()
      for (const [i, code] of [1, 2, 1, 2].entries()) {
        await scenario.publish('plant/mill/state', JSON.stringify({ code, ts: atUs }))
        scenario.model.publish('execution', code === 1 ? 'READY' : 'ACTIVE', { atUs: atUs + i })
      }
    }))

  it('Own batches are validated as posted samples, and invalid samples are counted', () =>
    run(async scenario => {
      const { machineId } = scenario
      const sample = (value: number, atUs: number) => ({
        timestamp: new Date(atUs / 1_000).toISOString(),
        key: 'count',
        type: 'PART_COUNT',
        value,
        instanceId: 7,
        sequence: value,
      })
      const send = async (format: (samples: readonly object[]) => string, from: number) => {
        const samples = [from, from + 1].map(value => sample(value, scenario.nextUs()))
        for (const { value, timestamp } of samples)
          scenario.model.publish('count', String(value), { atUs: Date.parse(timestamp) * 1_000, holds: false })
        await scenario.publish('takt/samples', format(samples))
        await scenario.publish('takt/samples', format(samples))
      }
      const own = (samples: readonly object[]) => samples.map(each => ({ machineId, ...each }))
      await send(samples => JSON.stringify(own(samples)), 1)
      await send(samples => JSON.stringify({ machineId, samples }), 3)
      await send(
        samples =>
          own(samples)
            .map(each => JSON.stringify(each))
            .join('\n'),
        5,
      )
      await scenario.publish('takt/samples', JSON.stringify(own([{ key: 'count' }])))
      await scenario.publish(
        'takt/samples',
        JSON.stringify([{ ...sample(9, scenario.nextUs()), machineId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' }]),
      )
      await scenario.readAll()
      await scenario.until(() => Object.keys(scenario.health.totals.rejected).length === 2, 'not rejected')
    }))
})
