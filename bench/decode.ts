/**
 * CPU of decoding a sample, by reader and samples in a record; records as gateways write them.
 * `node --import tsx bench/decode.ts [samples = 100000] [rounds = 5]`
 */
import { AcceptedSamples } from '../ingest/consume/accepted-samples.ts'
import { decodeCompact } from '../ingest/decode/compact.ts'
import { CompactSamples } from '../ingest/decode/compact-writer.ts'
import { decodeJson } from '../ingest/decode/json.ts'
import { openRecord } from '../ingest/decode/record.ts'
import type { MachineRef } from '../schema/refs.ts'
import { knownMachine as machine } from '../test/ingest/decode/known-machine.ts'
import { sampleOf } from './ingest/bodies.ts'

const [samples = 100_000, rounds = 5] = process.argv.slice(2).map(Number)
const { id: machineId } = machine
const appendedAtMs = Date.parse('2024-05-06T08:00:00Z')
const context = {
  machine: (id: string) => (id === machineId ? machine : undefined),
  machineByRef: (ref: MachineRef) => (ref === machine.ref ? machine : undefined),
  appendedAtMs,
}

/** Each returns the number of samples. */
const readers = {
  'JSON, general reader': (json: Buffer) => decodeJson(json, context).accepted.length,
  'JSON to columns': (json: Buffer) => inColumns(json),
  compact: (_: Buffer, compact: Buffer) => decodeCompact(compact, context).accepted.length,
  'compact to columns': (_: Buffer, compact: Buffer) => inColumns(compact),
}

for (const size of [1, 10, 100, 1_000]) {
  const records = Array.from({ length: samples / size }, (_, i) => record(i, size))
  for (const [name, read] of Object.entries(readers)) {
    const us: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const before = process.cpuUsage()
      let count = 0
      for (const { json, compact } of records) count += read(json, compact)
      const { user, system } = process.cpuUsage(before)
      if (count !== samples) throw new Error(`${name}: ${count} samples`)
      if (round > 0) us.push((user + system) / samples)
    }
    const median = us.toSorted((a, b) => a - b)[us.length >> 1]
    if (median !== undefined)
      console.log(`${String(size).padStart(5)} in a record, ${name}: ${median.toFixed(3)} µs of CPU`)
  }
}

function record(index: number, size: number): { readonly json: Buffer; readonly compact: Buffer } {
  const all = Array.from({ length: size }, (_, i) =>
    sampleOf(index * size + i, appendedAtMs - samples + index * size + i),
  )
  const json = Buffer.from(JSON.stringify(size === 1 ? { machineId, ...all[0] } : { machineId, samples: all }))
  const compact = new CompactSamples(null)
  compact.of(machine.ref)
  for (const { sample } of decodeJson(json, context).accepted) compact.add(sample)
  return { json, compact: compact.bytes() }
}

function inColumns(value: Buffer): number {
  const samples = new AcceptedSamples(64)
  const source = { topic: '', partition: 0, offset: 0, key: null, value, headers: {}, timestampMs: appendedAtMs }
  samples.appendPlain(source, openRecord(value, context))
  return samples.rows.length
}
