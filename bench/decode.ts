/** Decoded samples per second and core, by samples per record: `node --import tsx bench/decode.ts` */
import { decodeRecord } from '../ingest/decode/record.ts'
import { knownMachine as machine } from '../test/ingest/decode/known-machine.ts'

const { id: machineId } = machine
const appendedAtMs = Date.parse('2024-05-06T08:00:00Z')
const kinds = [
  { key: 'Xabs', type: 'POSITION', subtype: 'ACTUAL', category: 'SAMPLE' },
  { key: 'Srpm', type: 'ROTARY_VELOCITY', subtype: 'ACTUAL', category: 'SAMPLE' },
  { key: 'execution', type: 'EXECUTION', category: 'EVENT' },
  { key: 'Zload', type: 'LOAD' },
]

for (const samplesPerRecord of [1, 10, 100, 1_000]) {
  const records = Array.from({ length: 100_000 / samplesPerRecord }, (_, i) => record(i, samplesPerRecord))
  const decodeAll = () =>
    records.reduce(
      (sum, value) =>
        sum +
        decodeRecord(value, { machine: id => (id === machineId ? machine : undefined), appendedAtMs }).accepted.length,
      0,
    )
  decodeAll()
  const startMs = performance.now()
  const samples = decodeAll() + decodeAll() + decodeAll()
  const perSecond = (samples / (performance.now() - startMs)) * 1000
  console.log(`${samplesPerRecord} samples a record: ${Math.round(perSecond / 1000)} k samples/s`)
}

function record(index: number, size: number): Buffer {
  const samples = Array.from({ length: size }, (_, i) => ({
    timestamp: new Date(appendedAtMs + index * 1000 + i).toISOString(),
    value: String((index * 31 + i) / 7),
    ...kinds[i % kinds.length],
  }))
  return Buffer.from(JSON.stringify(size === 1 ? { machineId, ...samples[0] } : { machineId, samples }))
}
