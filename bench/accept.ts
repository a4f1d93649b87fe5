/**
 * CPU time of a sample on the main thread, without log, store and HTTP: a posted body becomes compact records, which become samples that wait
 * for their insert. `node --import tsx bench/accept.ts [samples = 400000] [samples a batch = 100] [batches a post = 20]
 * [none | other | mapped]`. `other`: a connector of kind `http` has rules for the machines, but none for a key of the
 * samples; `mapped`: its rule changes one of the keys.
 */
import { randomUUID } from 'node:crypto'
import { SampleColumns } from '../clickhouse/samples/sample-columns.ts'
import { sampleBlock } from '../clickhouse/samples/sample-block.ts'
import { createAcceptor } from '../ingest/accept/acceptor.ts'
import { Admission } from '../ingest/consume/admission.ts'
import { DeadLetters } from '../ingest/consume/dead-letters.ts'
import { stateSampleRecords } from '../ingest/consume/forward.ts'
import { AcceptedSamples } from '../ingest/consume/accepted-samples.ts'
import { KeyRules } from '../ingest/mapping/key-rules.ts'
import { openRecord } from '../ingest/decode/record.ts'
import type { MachineInfo } from '../ingest/decode/validate.ts'
import type { NewRecord } from '../log/log.ts'
import { asCompanyRef, asMachineRef, type MachineRef } from '../schema/refs.ts'
import { runCooperatively } from '../shared/async/steps.ts'
import { bodies } from './ingest/bodies.ts'

const [samples = 400_000, batch = 100, batches = 20] = process.argv.slice(2, 5).map(Number)
const [mapping = 'none'] = process.argv.slice(5)
const rounds = 5
const ids = Array.from({ length: 200 }, () => randomUUID())
const machines = new Map<string, MachineInfo>(ids.map((id, place) => [id, machineOf(id, place + 1)]))
const find = (id: string) => machines.get(id)
const byRef = new Map<MachineRef, MachineInfo>(Array.from(machines.values(), machine => [machine.ref, machine]))
const all = [...bodies({ machines: ids, samples, batch, batches, startMs: Date.now() - 3_600_000 })]

const rule = { from: mapping === 'mapped' ? 'execution' : 'DB10.W4', map: { '*': 'READY', ACTIVE: 'ACTIVE' } }
const rules = new KeyRules([rule])
const mappings = mapping === 'none' ? null : new Map(ids.map(id => [id, rules]))

const times = {
  accept: [] as number[],
  take: [] as number[],
  forward: [] as number[],
  newest: [] as number[],
  gather: [] as number[],
  block: [] as number[],
}
for (let round = 0; round < rounds; round++) {
  const records: NewRecord[] = []
  const log = {
    partitionCount: async () => 8,
    append: async (_: string, some: readonly NewRecord[]) => {
      records.push(...some)
      return []
    },
  }
  const acceptor = createAcceptor({ log, machines: { find }, mappings: () => mappings })
  await timed('accept', async () => {
    for (const { bytes } of all) await acceptor.accept({ companyRef: asCompanyRef(1), body: bytes })
  })
  const source = { topic: '', partition: 0, offset: 0, key: null, value: Buffer.alloc(0), headers: {}, timestampMs: 0 }
  const accepted = new AcceptedSamples(samples)
  await timed('take', async () => {
    const context = { machine: find, machineByRef: (ref: MachineRef) => byRef.get(ref), appendedAtMs: Date.now() }
    for (const { value } of records) accepted.appendPlain({ ...source, value }, openRecord(value, context))
  })
  const admission = new Admission({ logger: { info() {}, warn() {}, error() {} } })
  await timed('forward', async () => {
    await admission.admit(accepted, new DeadLetters())
    stateSampleRecords(accepted, accepted.runs, 4)
  })
  await timed('newest', async () => accepted.runs.map(run => accepted.newest(run).length))
  const columns = new SampleColumns()
  await timed('gather', async () => columns.append(accepted.rows))
  await timed('block', () => runCooperatively(sampleBlock(columns)))
  if (columns.length !== samples) throw new Error(`${columns.length} samples`)
}
const medians = Object.entries(times).map(
  ([name, us]) => [name, us.toSorted((a, b) => a - b)[rounds >> 1] ?? 0] as const,
)
for (const [name, us] of medians) console.log(`${name.padEnd(8)} ${us.toFixed(2)} µs of CPU a sample`)
console.log(`${'all'.padEnd(8)} ${medians.reduce((sum, [, us]) => sum + us, 0).toFixed(2)} µs`)

async function timed<T>(name: keyof typeof times, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  times[name].push((user + system) / samples)
  return result
}

function machineOf(id: string, place: number): MachineInfo {
  return {
    id,
    ref: asMachineRef(place),
    companyRef: asCompanyRef(1),
    maxSampleAgeDays: 7_300,
    namedKeys: new Set(),
    counter: { key: null },
  }
}
