import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createIngest, type Ingest } from '../../../ingest/consume/ingest.ts'
import { defaultMachineLimits, MachineBounds } from '../../../ingest/consume/machine-bounds.ts'
import type { UsedNames } from '../../../ingest/consume/ports.ts'
import { topics, type DeadLetter, type StateSamplesMessage } from '../../../schema/topics.ts'
import { condition, sample } from '../../processors/timeline/support.ts'
import { openPlant, silent, type Plant } from './plant.ts'
import { asMachineRef } from '../../../schema/refs.ts'

const nowMs = Date.UTC(2026, 2, 2, 12)
const drill = '00000000-0000-4000-8000-00000000000a'
const lathe = '00000000-0000-4000-8000-00000000000b'
const machine = { ref: asMachineRef(1), namedKeys: new Set<string>() }

describe('MachineBounds', () => {
  const limits = { keys: 10, keyChars: 1_000, conditions: 3 }
  const temperature = (key: string) => sample(0, 'TEMPERATURE', '1', { key })

  it('Keys beyond the limit of a machine are rejected; known keys and keys of state samples are accepted', () => {
    const bounds = new MachineBounds(limits)
    const reasons = Array.from({ length: 12 }, (_, i) => bounds.check(temperature(`t${i}`), machine)?.reason)
    expect(reasons).to.deep.equal([...Array.from({ length: 10 }), 'too_many_keys', 'too_many_keys'])
    expect(bounds.check(temperature('t3'), machine)).to.equal(null)
    expect(bounds.check(sample(0, 'EXECUTION', 'ACTIVE'), machine)).to.equal(null)
    expect(bounds.check(temperature('t11'), { ...machine, ref: asMachineRef(2) }), 'another machine').to.equal(null)
  })

  it("The total length of a machine's names is limited", () => {
    const bounds = new MachineBounds(limits)
    const reasons = Array.from({ length: 5 }, (_, i) => bounds.check(temperature(`${i}`.padEnd(250)), machine)?.reason)
    expect(reasons).to.deep.equal([undefined, undefined, undefined, 'too_many_keys', 'too_many_keys'])
  })

  it('The number of active conditions is limited, and cleared conditions free quota', () => {
    const bounds = new MachineBounds(limits)
    const check = (value: string, code: string) => bounds.check(condition(0, value, code), machine)?.reason
    expect(['a', 'b', 'c', 'd'].map(code => check('FAULT', code))).to.deep.equal([
      undefined,
      undefined,
      undefined,
      'too_many_conditions',
    ])
    expect([check('WARNING', 'a'), check('NORMAL', 'b'), check('FAULT', 'd'), check('FAULT', 'e')]).to.deep.equal([
      undefined,
      undefined,
      undefined,
      'too_many_conditions',
    ])
    expect([check('NORMAL', ''), check('FAULT', 'e')]).to.deep.equal([undefined, undefined])
  })

  it('Random names do not fill the memory of a process', async function () {
    const child = new URL('many-keys-child.ts', import.meta.url).pathname
    const args = ['--max-old-space-size=96', '--import', 'tsx', child]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { accepted } = JSON.parse(stdout)
    expect(accepted).to.be.within(1_000, defaultMachineLimits.keys + defaultMachineLimits.conditions + 1)
  })
})

describe('ingest of a machine that exceeds its limits', () => {
  let plant: Plant
  let ingest: Ingest
  let running: Promise<void>
  let faults: string[]

  async function start(usedNames?: UsedNames): Promise<void> {
    ingest = createIngest({
      log: plant.log,
      machines: plant.machines,
      samples: { write: async () => undefined },
      logger: silent,
      limits: { delayMs: 1 },
      machineLimits: { keys: 10, keyChars: 1_000, conditions: 3 },
      sampleIssues: { report: (ref, code, _, count) => faults.push(`${ref} ${code} ${count}`) },
      ...(usedNames && { usedNames }),
    })
    running = ingest.run()
  }

  beforeEach(async () => {
    faults = []
    plant = await openPlant(() => nowMs, 1)
    plant.put({ id: drill, ref: asMachineRef(1) })
    plant.put({ id: lathe, ref: asMachineRef(2) })
  })

  afterEach(async () => {
    await ingest.drain(5_000)
    await ingest.stop()
    await running
    await plant.close()
  })

  async function send(machineId: string, samples: readonly object[]): Promise<void> {
    const timestamp = new Date(nowMs).toISOString()
    const before = ingest.stats()
    const value = JSON.stringify({ machineId, samples: samples.map(each => ({ timestamp, ...each })) })
    await plant.log.append(topics.samples, [{ key: machineId, value: Buffer.from(value) }])
    const done = () => ingest.stats().accepted + ingest.stats().rejected - before.accepted - before.rejected
    while (done() < samples.length) await new Promise(resolve => setTimeout(resolve, 5))
  }

  const keys = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, type: 'LOAD', value: i }))
  const reasons = async () => (await plant.read<DeadLetter>(topics.deadLetters)).map(({ reason }) => reason)

  it('Samples of further keys become dead letters and a machine fault, and other machines are unaffected', async () => {
    await start()
    await send(drill, keys(12))
    await send(lathe, keys(8))
    await send(drill, [{ key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }])
    expect(await reasons()).to.deep.equal(['too_many_keys', 'too_many_keys'])
    expect(faults).to.deep.equal(['1 too_many_keys 1', '1 too_many_keys 1'])
    expect(ingest.stats()).to.deep.include({ accepted: 19, rejected: 2 })
    const deadLetters = await plant.read<DeadLetter>(topics.deadLetters)
    expect(JSON.parse(deadLetters[0]?.value ?? '')).to.deep.include({ machineId: drill, key: 'k10', value: '10' })
  })

  it('Keys that were used before the start count against the limit', async () => {
    const used = keys(10).map(({ key, type }) => ({
      machineRef: asMachineRef(1),
      key: `old ${key}`,
      type,
      subtype: '',
    }))
    await start({
      read: async (_, machines) => used.filter(({ machineRef }) => machines.includes(machineRef)),
    })
    await send(drill, [{ key: 'old k3', type: 'LOAD', value: 1 }, ...keys(1)])
    expect(await reasons()).to.deep.equal(['too_many_keys'])
  })

  it('Ingest continues without the previously used keys while the store is unavailable', async () => {
    await start({ read: () => Promise.reject(new Error('The store is away')) })
    await send(drill, keys(3))
    expect(await reasons()).to.deep.equal([])
  })

  it('Conditions beyond the limit are rejected, and clearing conditions are accepted', async () => {
    await start()
    const system = (value: string, nativeCode: string) => ({ key: 'system', type: 'SYSTEM', value, nativeCode })
    await send(
      drill,
      ['a', 'b', 'c', 'd'].map(code => system('FAULT', code)),
    )
    await send(drill, [system('NORMAL', ''), system('FAULT', 'd')])
    expect(await reasons()).to.deep.equal(['too_many_conditions'])
    const messages = await plant.read<StateSamplesMessage>(topics.stateSamples)
    expect(messages.flatMap(({ samples }) => samples.map(each => each.nativeCode))).to.deep.equal([
      'a',
      'b',
      'c',
      '',
      'd',
    ])
  })

  it('Unknown EXECUTION values are accepted and reported as a machine fault', async () => {
    await start()
    const execution = (value: string) => ({ key: 'execution', type: 'Execution', value })
    await send(drill, [
      execution('RUNNING'),
      execution('active'),
      execution('Program_Stopped'),
      execution('UNAVAILABLE'),
    ])
    expect(faults).to.deep.equal(['1 unknown_execution_value 1'])
    expect(await reasons()).to.deep.equal([])
  })
})
