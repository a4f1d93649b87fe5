import { expect } from 'chai'
import type { Sample } from '../../../schema/sample.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { ValuesHere } from '../../../service/live/values-here.ts'

describe('live values within a process', () => {
  it('Live values reach every listener, and a listener that throws stops neither the others nor the sender', () => {
    const logged: unknown[] = []
    const values = new ValuesHere({ error: (...line: unknown[]) => logged.push(line) })
    const told: (readonly Sample[])[] = []
    const fault = new Error('a channel is broken')
    values.listen({
      wantsEvery: machineRef => machineRef === 1,
      tell() {
        throw fault
      },
    })
    values.listen({ wantsEvery: machineRef => machineRef === 2, tell: samples => told.push(samples) })
    expect([1, 2, 3].map(ref => values.wantsEvery(asMachineRef(ref)))).to.deep.equal([true, true, false])
    const samples: readonly Sample[] = []
    values.tell(samples)
    values.tell(samples)
    expect(told).to.deep.equal([samples, samples])
    expect(logged).to.deep.equal([
      [{ err: fault }, 'Failed to send live values'],
      [{ err: fault }, 'Failed to send live values'],
    ])
  })
})
