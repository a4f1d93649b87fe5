import { expect } from 'chai'
import type { Sample } from '../../../schema/sample.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { LocalValues } from '../../../service/live/local-values.ts'

describe('live values within a process', () => {
  it('Live values reach every listener, and a listener that throws stops neither the others nor the sender', () => {
    const logged: unknown[] = []
    const values = new LocalValues({ error: (...line: unknown[]) => logged.push(line) })
    const told: (readonly Sample[])[] = []
    const fault = new Error('a listener failed')
    values.listen({
      needsEvery: machineRef => machineRef === 1,
      publish() {
        throw fault
      },
    })
    values.listen({ needsEvery: machineRef => machineRef === 2, publish: samples => told.push(samples) })
    expect([1, 2, 3].map(ref => values.needsEvery(asMachineRef(ref)))).to.deep.equal([true, true, false])
    const samples: readonly Sample[] = []
    values.publish(samples)
    values.publish(samples)
    expect(told).to.deep.equal([samples, samples])
    expect(logged).to.deep.equal([
      [{ err: fault }, 'Failed to send live values'],
      [{ err: fault }, 'Failed to send live values'],
    ])
  })
})
