import { assert } from 'chai'
import { Scenario, type ScenarioOptions } from './scenario.ts'

describe('SHDR connector and a faulty adapter', () => {
  async function run(steps: (scenario: Scenario) => Promise<void>, options: ScenarioOptions = {}): Promise<void> {
    const scenario = await Scenario.start(options)
    try {
      await steps(scenario)
      await scenario.check()
    } finally {
      await scenario.end()
    }
  }

  /** A machine that works: a program, alarms, parts and speeds. */
  async function work(scenario: Scenario, device?: string): Promise<void> {
    const of = device === undefined ? {} : { device }
    await scenario.send({ key: 'avail', value: 'AVAILABLE', ...of }, { key: 'program', value: 'O1', ...of })
    await scenario.send({ key: 'execution', value: 'ACTIVE', ...of }, { key: 'speed', value: '900', ...of })
    await scenario.send({ key: 'system', value: 'FAULT', code: '7', message: 'Door', ...of })
    await scenario.send({ key: 'PartCount', value: '3', ...of }, { key: 'part', value: '1', ...of })
  }

  it('All values of a connection are in the log', () =>
    run(async scenario => {
      await work(scenario)
      await scenario.send({ key: 'system', value: 'NORMAL', code: '7' })
      const { observations, duplicates, gaps } = scenario.totals
      assert.deepEqual([observations, duplicates, gaps], [8, 0, 0])
    }))

  it('After a cut, values are unknown in between, and those that hold since before are restated', () =>
    run(async scenario => {
      await work(scenario)
      await scenario.cut(() => scenario.change('execution', 'STOPPED'))
      await scenario.send({ key: 'execution', value: 'ACTIVE' })
      const { gaps, duplicates } = scenario.totals
      assert.deepEqual([gaps, duplicates], [scenario.model.gaps, scenario.model.duplicates])
      assert.isAbove(duplicates, 3)
    }))

  it('Two cuts without a value in between give one gap marker', () =>
    run(async scenario => {
      await work(scenario)
      await scenario.cut()
      const present = new Map(scenario.adapter.present)
      scenario.adapter.present.clear()
      await scenario.cut(() => undefined, [])
      for (const [key, line] of present) scenario.adapter.present.set(key, line)
      await scenario.cut()
    }))

  it('An adapter that does not answer PING is connected again, and its values are unknown in between', () =>
    run(async scenario => {
      scenario.adapter.pongMs = 500
      await work(scenario)
      await scenario.cut()
      scenario.adapter.faults.isMute = true
      scenario.adapter.faults.isRefusing = true
      await scenario.until(() => scenario.process.connector.health().state === 'disconnected', 'it hangs')
      assert.match(
        scenario.process.connector.health().lastError?.message ?? '',
        /^The adapter sent nothing for 1 s$|reset|closed|ended/,
      )
      scenario.adapter.faults.isMute = false
      scenario.adapter.faults.isRefusing = false
      scenario.clockMs += 1_000
      await scenario.connected()
    }))

  it('Half a line before a cut gives no sample', () =>
    run(async scenario => {
      await work(scenario)
      scenario.clockMs += 1_000
      scenario.adapter.write('2024-05-06T06:00:09Z|execution|STOP')
      scenario.model.contact(scenario.clockMs)
      await scenario.heard()
      await scenario.cut()
    }))

  it('A line in two parts is read as one', () =>
    run(async scenario => {
      scenario.clockMs += 1_000
      const line = `${new Date(scenario.clockMs).toISOString()}|execution|ACTIVE\n`
      scenario.adapter.write(line.slice(0, 30))
      await scenario.heard()
      scenario.adapter.write(line.slice(30))
      scenario.model.receive({ key: 'execution', value: 'ACTIVE', ms: scenario.clockMs }, scenario.clockMs)
      scenario.model.contact(scenario.clockMs)
    }))

  it('Lines that are sent twice count once', () =>
    run(async scenario => {
      scenario.adapter.faults.copies = 2
      await work(scenario)
      await scenario.send({ key: 'part', value: '1' })
      await scenario.cut(() => scenario.change('part', '1'))
      assert.equal(scenario.totals.duplicates, scenario.model.duplicates)
    }))

  it('Different values at one time keep their order of arrival', () =>
    run(async scenario => {
      await scenario.send(
        { key: 'execution', value: 'READY' },
        { key: 'execution', value: 'ACTIVE' },
        { key: 'PartCount', value: '5' },
        { key: 'PartCount', value: '6' },
        { key: 'PartCount', value: '5' },
        { key: 'system', value: 'FAULT', code: '1' },
        { key: 'system', value: 'FAULT', code: '2' },
        { key: 'system', value: 'FAULT', code: '1' },
        { key: 'system', value: 'NORMAL', code: '' },
        { key: 'system', value: 'FAULT', code: '1' },
      )
      await scenario.send({ key: 'execution', value: 'READY' })
      await scenario.cut()
    }))

  it('An adapter that restarts without its values leaves them unknown', () =>
    run(async scenario => {
      await work(scenario)
      await scenario.cut(() => {
        scenario.adapter.present.clear()
        scenario.sent.length = 0
        for (const key of ['avail', 'execution', 'program']) scenario.change(key, 'UNAVAILABLE')
        scenario.change('system', 'UNAVAILABLE', { code: '' })
      })
      await scenario.send(
        { key: 'execution', value: 'ACTIVE', ageMs: 20_000 },
        { key: 'system', value: 'NORMAL', code: '' },
      )
    }))

  it('After UNAVAILABLE of the adapter, values with earlier times hold again', () =>
    run(async scenario => {
      await work(scenario)
      await scenario.send({ key: 'execution', value: 'UNAVAILABLE' }, { key: 'system', value: 'UNAVAILABLE', code: '' })
      await scenario.send(
        { key: 'execution', value: 'ACTIVE', ageMs: 4_000 },
        { key: 'system', value: 'FAULT', code: '7', message: 'Door', ageMs: 3_000 },
        { key: 'PartCount', value: '3', ageMs: 2_000 },
      )
      await scenario.send({ key: 'execution', value: 'READY' })
    }))

  for (const [name, offsetMs, timeOffsetMs] of [
    ['an hour ahead', 3_600_000, 0],
    ['an hour behind', -3_600_000, 0],
    ['an hour ahead and has an offset', 3_600_000, -3_600_000],
  ] as const)
    it(`The clock of the adapter is ${name}`, () =>
      run(
        async scenario => {
          for (const value of ['READY', 'ACTIVE', 'STOPPED']) {
            await scenario.send(
              { key: 'execution', value, ageMs: -offsetMs },
              { key: 'PartCount', value: '1', ageMs: -offsetMs },
            )
            await scenario.cut()
          }
          await scenario.send({ key: 'execution', value: 'ACTIVE', ageMs: -offsetMs })
        },
        { options: { timeOffsetMs } },
      ))

  it('Lines without a time have the time of receipt', () =>
    run(async scenario => {
      await scenario.send(
        { key: 'execution', value: 'ACTIVE', ageMs: null },
        { key: 'execution', value: 'READY', ageMs: null },
      )
      await scenario.send({ key: 'execution', value: 'ACTIVE', ageMs: null })
      await scenario.cut()
    }))

  it('A killed connector continues at the stored position, with gap markers', () =>
    run(async scenario => {
      await work(scenario)
      await scenario.stored()
      scenario.change('execution', 'STOPPED')
      scenario.clockMs += 1_000
      await scenario.kill()
      await scenario.connected()
      await scenario.send({ key: 'execution', value: 'ACTIVE' })
      assert.equal(scenario.totals.gaps, 1)
    }))

  it('A stored position describes only samples that the log has: a killed connector delivers the later ones again', () =>
    run(
      async scenario => {
        const { present } = scenario.adapter
        await work(scenario)
        await scenario.stored()
        scenario.isLogAvailable = false
        const delivered = new Set(present.values())
        scenario.change('execution', 'STOPPED')
        scenario.change('system', 'FAULT', { code: '8' })
        scenario.change('part', '1')
        scenario.adapter.write([...present.values()].filter(line => !delivered.has(line)).join(''))
        await scenario.heard()
        await scenario.process.storePosition()
        scenario.clockMs += 1_000
        await scenario.kill()
        scenario.isLogAvailable = true
        await scenario.connected()
        assert.equal(scenario.totals.gaps, 1)
      },
      { isBuffered: false },
    ))

  it('Samples that the log does not accept wait on disk, also if the connector is killed', () =>
    run(async scenario => {
      scenario.isLogAvailable = false
      // Heartbeats of the connection may be in the log already.
      const accepted = scenario.log.length
      await work(scenario)
      await scenario.stored()
      assert.isAbove(scenario.process.connector.health().buffer?.samples ?? 0, 5)
      scenario.clockMs += 1_000
      await scenario.kill()
      await scenario.connected()
      await scenario.send({ key: 'execution', value: 'READY' })
      assert.lengthOf(scenario.log, accepted)
      scenario.isLogAvailable = true
    }))

  it('After one of two processes is killed, the other one continues, and the buffer of the killed one loses nothing', () =>
    run(async scenario => {
      await work(scenario)
      scenario.isLogAvailable = false
      await scenario.send({ key: 'execution', value: 'READY' }, { key: 'part', value: '1' })
      await scenario.stored()
      assert.isAbove(scenario.process.connector.health().buffer?.samples ?? 0, 1)
      scenario.change('execution', 'STOPPED')
      scenario.clockMs += 1_000
      await scenario.moveToAnother()
      await scenario.connected()
      await scenario.send({ key: 'execution', value: 'ACTIVE' })
      scenario.isLogAvailable = true
      await scenario.resumeKilled()
      assert.equal(scenario.totals.gaps, 1)
    }))

  it('A key has the type of the probe document from its change on, also in gap markers', () =>
    run(async scenario => {
      await work(scenario)
      await scenario.send({ key: 'mode', value: 'MANUAL' })
      await scenario.stored()
      scenario.clockMs += 1_000
      await scenario.addMode()
      await scenario.connected()
      await scenario.send({ key: 'mode', value: 'AUTOMATIC' }, { key: 'execution', value: 'READY' })
      await scenario.cut()
      assert.equal(scenario.totals.gaps, 2)
    }))

  it('If the buffer is full, the newest samples are dropped and unknown, and counted', () =>
    run(
      async scenario => {
        scenario.isLogAvailable = false
        await scenario.send({ key: 'program', value: 'x'.repeat(900_000) })
        await work(scenario)
        await scenario.send({ key: 'program', value: 'y'.repeat(400_000) })
        await scenario.stored()
        scenario.change('execution', 'STOPPED')
        scenario.adapter.write([...scenario.adapter.present.values()].filter(line => line.includes('STOPPED')).join(''))
        await scenario.until(() => scenario.totals.dropped === 1, 'nothing is dropped')
        scenario.clockMs += 1_000
        scenario.isLogAvailable = true
        await scenario.until(() => scenario.process.connector.health().buffer?.samples === 0, 'the buffer stays full')
        scenario.adapter.write('* PONG 10000\n')
        await scenario.connected()
      },
      { bufferBytes: 2_300_000 },
    ))

  it('Lines that are damaged are counted, and do not affect the lines around them', () =>
    run(async scenario => {
      await work(scenario)
      scenario.adapter.write('\u0000\u0001|||\n2024-13-99T|execution|ACTIVE\n|\n* \n*\n"|execution\n')
      await scenario.send({ key: 'execution', value: 'READY' })
      assert.isAbove(scenario.totals.rejected['not_shdr'] ?? 0, 0)
    }))

  it('A line above 1 MiB ends the connection', () =>
    run(async scenario => {
      await work(scenario)
      scenario.adapter.faults.isRefusing = true
      scenario.adapter.write('x'.repeat(2 << 20))
      await scenario.until(() => scenario.adapter.open === 0, 'the connection remains')
      assert.match(
        scenario.process.connector.health().lastError?.message ?? '',
        /a line of more than 1048576 bytes|ended/,
      )
      // Contact is the last read before the line was too long.
      scenario.model.contact(scenario.clockMs)
      scenario.clockMs += 1_000
      scenario.adapter.faults.isRefusing = false
      await scenario.connected()
    }))

  it('Values of two devices belong to their machines, and each has its own gap', () =>
    run(
      async scenario => {
        await work(scenario, 'Mill')
        await work(scenario, 'Lathe')
        await scenario.send({ key: 'execution', value: 'READY', device: 'Mill' })
        await scenario.cut(() => scenario.change('execution', 'STOPPED', { device: 'Lathe' }))
        scenario.adapter.write(`${new Date(scenario.clockMs).toISOString()}|execution|READY\n`)
        await scenario.until(() => scenario.totals.rejected['no_device'] === 1, 'no fault is counted')
      },
      { devices: ['Mill', 'Lathe'] },
    ))

  it('Latin-1 texts are read', () =>
    run(async scenario => {
      scenario.adapter.encoding = 'latin1'
      await scenario.send({ key: 'system', value: 'FAULT', code: 'ä1', message: 'Tür offen' })
      await scenario.cut()
    }))

  it('With the option received, the time of receipt replaces the times of the adapter', () =>
    run(
      async scenario => {
        for (const value of ['ACTIVE', 'READY']) {
          scenario.clockMs += 1_000
          scenario.adapter.write(`2001-01-01T00:00:00Z|execution|${value}\n`)
          await scenario.heard()
          scenario.model.receive({ key: 'execution', value, ms: null }, scenario.clockMs)
        }
      },
      { options: { time: 'received' } },
    ))
})
