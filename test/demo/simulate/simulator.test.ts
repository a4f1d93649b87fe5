import { expect } from 'chai'
import { createPlant } from '../../../demo/simulate/plant.ts'
import { createSimulator, type SimulatorOptions } from '../../../demo/simulate/simulator.ts'
import type { WireBatch } from '../../../schema/topics.ts'
import { eventually } from '../../log/fixture.ts'
import { silent } from '../../ingest/consume/plant.ts'
import { hourMs } from '../../../shared/time/units.ts'

const nowMs = Date.parse('2024-05-07T10:30:00.250Z')
const plant = createPlant({ seed: 7, machines: 3 })

/** Runs a simulator until it has sent all samples up to now. */
async function fillUp(options: Partial<SimulatorOptions> = {}) {
  const batches: WireBatch[] = []
  const steps: number[] = []
  const simulator = createSimulator({
    plant,
    logger: silent,
    clock: () => nowMs,
    send: async sent => void batches.push(...sent),
    onSent: sentMs => void steps.push(sentMs),
    ...options,
  })
  const running = simulator.run()
  await eventually(() => (steps.at(-1) ?? 0) >= nowMs - 2_000)
  await simulator.stop()
  await running
  return { batches, steps }
}

/** Sent samples of one machine of the plant. */
function sampled(batches: readonly WireBatch[], machine: number) {
  return batches.filter(({ machineId }) => machineId === plant.machines[machine]?.id).flatMap(({ samples }) => samples)
}

describe('the simulator', () => {
  it('The simulator sends the past at its start, with all values of the last hour', async () => {
    const { batches, steps } = await fillUp()
    const endMs = nowMs - 250
    expect(steps.at(-1)).to.equal(endMs)
    expect(steps).to.deep.equal([...steps].sort((a, b) => a - b))
    for (const { index } of plant.machines) {
      const bulkFromMs = endMs - hourMs
      expect(sampled(batches, index)).to.deep.equal([
        ...plant.samples(index, endMs - 48 * hourMs, bulkFromMs, { bulk: false }),
        ...plant.samples(index, bulkFromMs, endMs, { bulk: true }),
      ])
    }
    expect(Math.max(...batches.map(({ samples }) => samples.length))).to.be.at.most(500)
  })

  it('The simulator resumes after the last sent sample', async () => {
    const lastSentMs = nowMs - 250 - 600_000
    const { batches } = await fillUp({ lastSentMs })
    expect(sampled(batches, 0)).to.deep.equal(plant.samples(0, lastSentMs, nowMs - 250, { bulk: true }))
  })

  it('The simulator repeats samples whose sending failed', async () => {
    const lastSentMs = nowMs - 250 - 600_000
    const batches: WireBatch[] = []
    let failures = 2
    const send = async (sent: readonly WireBatch[]) => {
      if (failures-- > 0) throw new Error('the log is away')
      batches.push(...sent)
    }
    await fillUp({ lastSentMs, send })
    expect(sampled(batches, 1)).to.deep.equal(plant.samples(1, lastSentMs, nowMs - 250, { bulk: true }))
  })

  it('The simulator continues to send samples as time passes', async () => {
    const startMs = Math.floor(Date.now() / 1000) * 1000 - 1_000
    const { batches, steps } = { batches: [] as WireBatch[], steps: [] as number[] }
    const simulator = createSimulator({
      plant,
      logger: silent,
      lastSentMs: startMs,
      send: async sent => void batches.push(...sent),
      onSent: sentMs => void steps.push(sentMs),
    })
    const running = simulator.run()
    await eventually(() => steps.length >= 2)
    await simulator.stop()
    await running
    const endMs = steps.at(-1) ?? 0
    expect(endMs).to.be.above(startMs)
    for (const { index } of plant.machines) {
      expect(sampled(batches, index)).to.deep.equal(plant.samples(index, startMs, endMs, { bulk: true }))
    }
  })
})
