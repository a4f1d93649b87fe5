import { assert } from 'chai'
import { AdapterStream } from '../../../connect/shdr/adapter-stream.ts'
import { readDevices } from '../../../ingest/shdr/devices.ts'
import { usedHeapMb } from '../../support/heap.ts'

const lines = 40
const timestamp = '2026-11-28T00:00:00Z'
const receivedUs = Date.parse(timestamp) * 1000
const machineId = '11111111-1111-4111-8111-111111111111'

describe('Memory of a stream of an SHDR adapter', () => {
  it('The keys, values and codes that it keeps do not keep their lines', () => {
    const [device] = readDevices('<MTConnectDevices><Device name="Mill"/></MTConnectDevices>')
    if (device === undefined) throw new Error('The document has no device')
    const machines = new Map([[device, { machineId, offsetUs: 0 }]])
    const stream = new AdapterStream({ devices: [device], machines, takesUnknownKeys: true, time: 'source' }, null)
    const beforeMb = usedHeapMb()
    for (let number = 1; number <= lines; number++) {
      stream.apply(lineOf(`event-of-the-machine-${number}|value of ${number} items`), receivedUs)
      stream.apply(lineOf(`alarm-of-the-machine-${number}|fault|code-of-an-alarm|severity|HIGH|text`), receivedUs)
    }
    stream.takeSamples()
    assert.isAbove(stream.takeChanges().keys.length, 2 * lines)
    const mb = usedHeapMb() - beforeMb
    assert.isBelow(mb, lines / 4)
  })
})

/** A line of 1 MiB: another key has a long value. */
function lineOf(fields: string): string {
  return Buffer.from(`${timestamp}|${fields}|padding|${'x'.repeat(1_040_000)}`).toString()
}
