import { expect } from 'chai'
import { createIngest, type Ingest } from '../../../ingest/consume/ingest.ts'
import type { UsedNames } from '../../../ingest/consume/ports.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { topics } from '../../../schema/topics.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { openPlant, silent, type Plant } from './plant.ts'

const nowMs = Date.UTC(2026, 2, 2, 12)
const machineId = '00000000-0000-4000-8000-00000000000a'

interface Fault {
  readonly code: string
  readonly message: string
  readonly count: number
  readonly key: string | null
}

describe('faults of the metrics of a machine', () => {
  let plant: Plant
  let ingest: Ingest
  let running: Promise<void>
  let faults: Fault[]

  async function start(settings: Partial<MachineRecord> = {}, usedNames?: UsedNames): Promise<void> {
    plant.put({ id: machineId, ref: asMachineRef(1), ...settings })
    ingest = createIngest({
      log: plant.log,
      machines: plant.machines,
      samples: { write: async () => undefined },
      logger: silent,
      limits: { delayMs: 1 },
      sampleIssues: { report: (_, code, message, count, key) => faults.push({ code, message, count, key }) },
      ...(usedNames && { usedNames }),
    })
    running = ingest.run()
  }

  beforeEach(async () => {
    faults = []
    plant = await openPlant(() => nowMs, 1)
  })

  afterEach(async () => {
    await ingest.drain(5_000)
    await ingest.stop()
    await running
    await plant.close()
  })

  async function send(...samples: readonly object[]): Promise<void> {
    const before = ingest.stats().accepted
    const timed = samples.map((each, index) => ({ timestamp: new Date(nowMs - 10_000 + index).toISOString(), ...each }))
    const value = JSON.stringify({ machineId, samples: timed })
    await plant.log.append(topics.samples, [{ key: machineId, value: Buffer.from(value) }])
    while (ingest.stats().accepted - before < samples.length) await new Promise(resolve => setTimeout(resolve, 5))
  }

  const execution = { key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
  const counts = (number: number, value: unknown = '10,0', more: object = {}) =>
    Array.from({ length: number }, () => ({ key: 'count', type: 'PART_COUNT', value, ...more }))

  describe('unreadable_counter', () => {
    it('unreadable_counter is reported for a counter without a number among its last 20 values', async () => {
      await start()
      await send(execution, ...counts(19), ...counts(5, 'UNAVAILABLE'))
      expect(faults).to.deep.equal([])
      await send(...counts(1, '12,0'))
      await send(...counts(1, '13,0'))
      const message = (value: string) =>
        `The last 20 values of the part counter count are not numbers, the last is ${value}. Send plain decimals, such as 12.5`
      expect(faults).to.deep.equal([
        { code: 'unreadable_counter', message: message('12,0'), count: 20, key: 'count' },
        { code: 'unreadable_counter', message: message('13,0'), count: 1, key: 'count' },
      ])
    })

    it('unreadable_counter is not reported for a counter with a number among them', async () => {
      await start()
      await send(execution, ...counts(19), ...counts(1, 10), ...counts(19), ...counts(1, '1e1'), ...counts(19, -1))
      expect(faults).to.deep.equal([])
    })

    it('unreadable_counter depends only on the keys that count parts', async () => {
      await start({ partCounter: 'increment', partCountKey: 'Macro_Var' })
      const macro = (number: number, key: string) => counts(number, 'x', { key, type: 'VARIABLE' })
      await send(execution, ...counts(30), ...macro(10, 'MacroVar'), ...macro(9, 'macro_var'))
      expect(faults).to.deep.equal([])
      await send(...macro(1, 'MACROVAR'))
      expect(faults.map(({ code, key }) => [code, key])).to.deep.equal([['unreadable_counter', 'MACROVAR']])
    })

    it('unreadable_counter is not reported for a machine that counts cycles', async () => {
      await start({ partCounter: 'cycle' })
      await send(execution, ...counts(40), ...counts(40, 1, { subtype: 'GOOD' }))
      expect(faults).to.deep.equal([])
    })

    it('unreadable_counter is reported for a machine that has only subtypes that do not count', async () => {
      await start()
      await send(execution, ...counts(10, 1, { subtype: 'GOOD' }), ...counts(9, 1, { key: 'b', subtype: 'bad' }))
      expect(faults).to.deep.equal([])
      await send(...counts(2, 1, { key: 'b', subtype: 'BAD' }))
      expect(faults).to.deep.equal([
        {
          code: 'unreadable_counter',
          message:
            'PART_COUNT has only subtypes that are not counted (GOOD, BAD). Set partCountKey to the key to count, or send the subtype ALL',
          count: 21,
          key: 'b',
        },
      ])
    })

    it('unreadable_counter is not reported if another subtype counts', async () => {
      await start()
      await send(execution, ...counts(10, 1, { subtype: 'GOOD' }), ...counts(1, 1, { key: 'all', subtype: 'ALL' }))
      await send(...counts(30, 1, { subtype: 'GOOD' }))
      expect(faults).to.deep.equal([])
    })

    it('unreadable_counter is not reported for subtypes of the key that partCountKey names', async () => {
      await start({ partCountKey: 'count' })
      await send(execution, ...counts(40, 1, { subtype: 'GOOD' }))
      expect(faults).to.deep.equal([])
    })
  })

  describe('no_execution', () => {
    const load = (number: number) => Array.from({ length: number }, () => ({ key: 'load', type: 'LOAD', value: 1 }))

    it('no_execution is reported for a machine without an EXECUTION key in 100 samples', async () => {
      await start()
      await send(...load(99))
      expect(faults).to.deep.equal([])
      await send(...load(2))
      expect(faults.map(({ code, count, key }) => [code, count, key])).to.deep.equal([['no_execution', 101, null]])
      await send(execution, ...load(200))
      expect(faults).to.have.length(1)
    })

    it('no_execution is not reported for a machine that had an EXECUTION key before', async () => {
      const used = { machineRef: asMachineRef(1), key: 'e', type: 'Execution', subtype: '' }
      await start({}, { read: async () => [used] })
      await send(...load(200))
      expect(faults).to.deep.equal([])
    })

    it('no_execution is not reported while the previous metrics of the machine are unknown', async () => {
      await start({}, { read: () => Promise.reject(new Error('The store is unavailable')) })
      await send(...load(200))
      expect(faults).to.deep.equal([])
    })
  })

  it('clock_ahead is reported with the difference and the likely time zone', async () => {
    await start()
    await send({ ...execution, timestamp: new Date(nowMs + 2 * hourMs).toISOString() })
    expect(faults.map(({ code, count }) => [code, count])).to.deep.equal([['clock_ahead', 1]])
    expect(faults[0]?.message).to.contain('2 h 0 min ahead').and.to.contain('UTC+02:00')
  })
})
