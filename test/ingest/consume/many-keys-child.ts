import { LatestValues } from '../../../api/live/values/latest-values.ts'
import { AcceptedSamples } from '../../../ingest/consume/accepted-samples.ts'
import { Admission } from '../../../ingest/consume/admission.ts'
import { DeadLetters } from '../../../ingest/consume/dead-letters.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import { silent } from './plant.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

/** A gateway that writes part numbers into keys, types and codes: 150,000 names of 250 characters, and 10,000 of 16,000. */
const machine = {
  id: 'm',
  ref: asMachineRef(1),
  companyRef: asCompanyRef(1),
  maxSampleAgeDays: 7300,
  namedKeys: new Set<string>(),
  counter: null,
}
const admission = new Admission({ logger: silent })
const live = new LatestValues()
const nowMs = Date.UTC(2026, 2, 2)
let acceptedSamples = 0

async function send(sent: readonly object[]): Promise<void> {
  const source = {
    topic: 'samples.v1',
    partition: 0,
    offset: 0,
    timestampMs: nowMs,
    key: null,
    value: Buffer.alloc(0),
    headers: {},
  }
  const value = Buffer.from(JSON.stringify({ machineId: 'b3f6a0ce-6a3b-4a75-9a5f-6f8f6a0e2c11', samples: sent }))
  const { accepted } = decodeRecord(value, { machine: () => machine, appendedAtMs: nowMs })
  const samples = new AcceptedSamples(0)
  samples.append(source, accepted)
  const { rows } = await admission.admit(samples, new DeadLetters())
  for (const { sample } of rows) live.apply(sample)
  acceptedSamples += rows.length
}

function sample(i: number, length: number): object {
  const name = `${i} `.padEnd(length, 'x')
  const names = [
    { key: name, type: 'TEMPERATURE' },
    { key: 'temperature', type: name },
    { key: 'temperature', type: 'TEMPERATURE', subtype: name },
    { key: 'system', type: 'SYSTEM', nativeCode: name },
  ][i % 4]
  return { timestamp: new Date(nowMs).toISOString(), value: i % 4 === 3 ? 'FAULT' : i, ...names }
}

for (let from = 0; from < 150_000; from += 500) await send(Array.from({ length: 500 }, (_, i) => sample(from + i, 250)))
for (let from = 0; from < 10_000; from += 10) await send(Array.from({ length: 10 }, (_, i) => sample(from + i, 16_000)))
await send([{ timestamp: new Date(nowMs).toISOString(), key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }])
process.stdout.write(
  JSON.stringify({ accepted: acceptedSamples, heapMb: Math.round(process.memoryUsage().heapUsed / 1e6) }),
)
