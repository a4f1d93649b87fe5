import { expect } from 'chai'
import { createAcceptor, type Acceptor } from '../../../ingest/accept/acceptor.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import { partitionOfKey } from '../../../log/partitioner.ts'
import { ApiError } from '../../../schema/errors.ts'
import type { Sample } from '../../../schema/sample.ts'
import { topics, type DeadLetter } from '../../../schema/topics.ts'
import { openPlant, otherCompanyId, type Plant } from '../consume/plant.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'

const nowMs = Date.parse('2024-05-06T08:00:00Z')
const mine = '6f9619ff-8b86-4d01-b42d-00cf4fc96401'
const second = '6f9619ff-8b86-4d01-b42d-00cf4fc96402'
const foreign = '6f9619ff-8b86-4d01-b42d-00cf4fc96403'
const unknown = '6f9619ff-8b86-4d01-b42d-00cf4fc96404'
const sample = { timestamp: '2024-05-06T07:59:59Z', key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }

const noneRejected = { rejected: [], rejectedCount: 0, rejectedByCode: {} }

describe('POST /ingest/samples', () => {
  let plant: Plant
  let acceptor: Acceptor

  beforeEach(async () => {
    plant = await openPlant(() => nowMs)
    plant.put({ id: mine, ref: asMachineRef(11) })
    plant.put({ id: second, ref: asMachineRef(12) })
    plant.put({ id: foreign, ref: asMachineRef(21), companyId: otherCompanyId })
    acceptor = createAcceptor({ log: plant.log, machines: plant.machines, now: () => nowMs })
  })
  afterEach(() => plant.close())

  const accept = (body: unknown, contentType?: string) =>
    acceptor.accept({
      companyRef: asCompanyRef(1),
      body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      contentType,
    })

  /** Samples in the records of samples.v1, in their order. */
  const appended = async () => {
    const records: { readonly partition: number; readonly bytes: number; readonly samples: readonly Sample[] }[] = []
    const follower = await plant.log.follow({
      topic: topics.samples,
      from: 'earliest',
      onBatch: batch => {
        for (const { partition, value } of batch.records) {
          const { find: machine, findByRef: machineByRef } = plant.machines
          const { accepted } = decodeRecord(value, { machine, machineByRef, appendedAtMs: nowMs })
          records.push({ partition, bytes: value.length, samples: accepted.map(each => each.sample) })
        }
      },
    })
    await follower.caughtUp
    await follower.stop()
    return records
  }

  it('A body can be a sample, a batch, an array of both, or NDJSON', async () => {
    const one = { machineId: mine, ...sample }
    const batch = { machineId: second, samples: [sample, sample] }
    const lines = `${JSON.stringify(one)}\r\n\n${JSON.stringify(batch)}\n`
    expect(await accept(one)).to.deep.equal({ accepted: 1, ...noneRejected })
    expect(await accept([one, batch])).to.deep.equal({ accepted: 3, ...noneRejected })
    expect(await accept(lines, 'application/x-ndjson; charset=utf-8')).to.deep.equal({ accepted: 3, ...noneRejected })
    expect(await accept(lines, 'application/json')).to.deep.equal({ accepted: 3, ...noneRejected })
    expect(await accept(one, 'application/x-ndjson')).to.deep.equal({ accepted: 1, ...noneRejected })
    expect(await accept([])).to.deep.equal({ accepted: 0, ...noneRejected })
    expect((await appended()).flatMap(({ samples }) => samples)).to.have.length(11)
  })

  it('The response has a warning if no sample was accepted', async () => {
    const stray = { ...sample, machineId: 'none' }
    const { accepted, rejectedCount, warnings } = await accept([stray, stray])
    expect({ accepted, rejectedCount }).to.deep.equal({ accepted: 0, rejectedCount: 2 })
    expect(warnings?.map(({ field }) => field)).to.deep.equal(['samples'])
    expect((await accept([stray, { ...sample, machineId: mine }])).warnings).to.equal(undefined)
  })

  it('A request waits for the live hours if it has a sample before the previous hour, and has stored it', async () => {
    const storedBefore: number[] = []
    acceptor = createAcceptor({
      log: plant.log,
      machines: plant.machines,
      now: () => nowMs,
      waitForLiveHours: async () => void storedBefore.push((await appended()).length),
    })
    const at = (timestamp: string) => ({ machineId: mine, ...sample, timestamp })
    await accept([at('2024-05-06T07:00:00Z'), at('2024-05-06T08:00:00Z')])
    expect(storedBefore).to.deep.equal([])
    await accept([at('2024-05-06T07:59:59Z'), at('2024-05-06T06:59:59.999Z')])
    expect(storedBefore).to.deep.equal([2])
    // With a unit, samples are read in another way.
    await accept([{ ...at('2024-05-06T06:59:59.999Z'), more: 1 }])
    expect(storedBefore).to.deep.equal([2, 3])
  })

  it('Samples are appended in their stored form, to the partition of their machine', async () => {
    await accept([
      { machineId: mine.toUpperCase(), ...sample, type: 'Execution', junk: 'x' },
      { machineId: second, ...sample },
      { machineId: mine, ...sample, value: 3 },
    ])
    const values = (await appended()).flatMap(({ partition, samples }) =>
      samples.map(({ machineRef, type, value }) => [partition, machineRef, type, value]),
    )
    const [first, other] = [mine, second].map(id => partitionOfKey(id, 2))
    expect(values).to.have.deep.members([
      [first, 11, 'EXECUTION', 'ACTIVE'],
      [other, 12, 'EXECUTION', 'ACTIVE'],
      [first, 11, 'EXECUTION', '3'],
    ])
  })

  it('Large bodies are split into records of at most 2,000 samples and 300 kB', async () => {
    const samples = Array.from({ length: 4_321 }, (_, value) => ({ ...sample, value }))
    expect(await accept({ machineId: mine, samples })).to.deep.equal({ accepted: 4_321, ...noneRejected })
    const records = await appended()
    expect(records.map(record => record.samples.length)).to.deep.equal([2_000, 2_000, 321])
    expect(records.flatMap(record => record.samples.map(({ value }) => Number(value)))).to.deep.equal(
      samples.map(({ value }) => value),
    )
    const long = Array.from({ length: 40 }, () => ({ ...sample, value: 'x'.repeat(16_000) }))
    await accept({ machineId: second, samples: long })
    const lengths = (await appended()).slice(3).map(({ bytes }) => bytes)
    expect(Math.max(...lengths)).to.be.below(300_000)
  })

  it('The response lists rejected samples by their index, counting the samples of batches', async () => {
    const { accepted, rejected } = await accept([
      { machineId: mine, ...sample },
      { machineId: mine, samples: [sample, { ...sample, timestamp: 'yesterday' }] },
      { machineId: foreign, ...sample },
      { machineId: unknown, ...sample },
      { machineId: mine, ...sample, timestamp: '2024-05-08T00:00:00Z' },
      { machineId: mine, ...sample, timestamp: '1999-01-01T00:00:00Z' },
      'EXECUTION',
    ])
    expect(accepted).to.equal(2)
    expect(rejected.map(({ index, code }) => [index, code])).to.deep.equal([
      [2, 'invalid_sample'],
      [3, 'unknown_machine'],
      [4, 'unknown_machine'],
      [5, 'future_timestamp'],
      [6, 'past_timestamp'],
      [7, 'invalid_sample'],
    ])
  })

  it("Samples of unknown machines become dead letters, and samples of another company's machine do not", async () => {
    await accept([
      { machineId: foreign, ...sample },
      { machineId: unknown, ...sample },
    ])
    const deadLetters = await plant.read<DeadLetter>(topics.deadLetters)
    expect(
      deadLetters.map(({ reason, value, companyRef }) => ({ reason, companyRef, value: JSON.parse(value) as unknown })),
    ).to.deep.equal([{ reason: 'unknown_machine', companyRef: 1, value: { machineId: unknown, ...sample } }])
  })

  it('Without a sender that reads the response, all rejected samples become dead letters by machine and reason', async () => {
    const samples = [
      { machineId: mine, ...sample, timestamp: '2024-05-08T00:00:00Z' },
      { machineId: second, ...sample, timestamp: '1999-01-01T00:00:00Z' },
      { machineId: second, ...sample, timestamp: '1999-01-02T00:00:00Z' },
      { machineId: foreign, ...sample },
      { machineId: mine, ...sample },
    ]
    const body = Buffer.from(JSON.stringify(samples))
    const { accepted } = await acceptor.accept({ companyRef: asCompanyRef(1), body, storesRejected: true })
    const deadLetters = await plant.read<DeadLetter>(topics.deadLetters)
    expect(accepted).to.equal(1)
    expect(deadLetters.map(({ reason, value }) => [reason, JSON.parse(value) as unknown])).to.deep.equal([
      ['future_timestamp', samples[0]],
      ['past_timestamp', [samples[1], samples[2]]],
    ])
  })

  it('A truncated last line is rejected, and the lines before it are accepted', async () => {
    const line = JSON.stringify({ machineId: mine, ...sample, message: 'Tür' })
    const bytes = Buffer.from(line)
    for (const cut of [1, 40, bytes.indexOf(0xc3) + 1, bytes.length - 1])
      for (const contentType of ['application/x-ndjson', 'application/json', undefined])
        for (const before of [`${line}\n\n`, `${line}\r\n${line}\n`]) {
          const { accepted, rejected, rejectedByCode } = await accept(
            Buffer.concat([Buffer.from(before), bytes.subarray(0, cut)]),
            contentType,
          )
          expect(rejected).to.deep.equal([
            { index: accepted, code: 'invalid_json', message: 'The last line is incomplete: send it again' },
          ])
          expect(accepted).to.equal(before.split(line).length - 1)
          expect(rejectedByCode).to.deep.equal({ invalid_json: 1 })
        }
    const many = Array.from({ length: 2_000 }, () => line).join('\n')
    const large = `\n{"machineId":"${mine}","samples":[${many.replaceAll('\n', ',')}`
    expect(await accept(many + large)).to.deep.include({ accepted: 2_000, rejectedCount: 1 })
    expect(await accept(`${many}${large}]}`)).to.deep.include({ accepted: 4_000, rejectedCount: 0 })
  })

  it('A body of one truncated line is rejected with 400, and so is a complete line of invalid JSON', async () => {
    const line = JSON.stringify({ machineId: mine, ...sample })
    for (const body of [line.slice(0, -1), `${line}\n${line.slice(0, -1)}\n`, `${line.slice(0, -1)}\n${line}`]) {
      const error: unknown = await accept(body, 'application/x-ndjson').catch((thrown: unknown) => thrown)
      expect(error, body).to.include({ status: 400, message: 'Problem parsing JSON' })
    }
    expect(await appended()).to.deep.equal([])
  })

  it('A body that is not UTF-8 is rejected with 400, as JSON and as lines', async () => {
    const line = JSON.stringify({ machineId: mine, ...sample, nativeCode: 'Fr\xe4se' })
    const many = Array.from({ length: 2_000 }, () => line)
    for (const body of [line, `[${line}]`, `${line}\n${line}`, `[${many.join()}]`, many.join('\n')]) {
      const error: unknown = await accept(Buffer.from(body, 'latin1')).catch((thrown: unknown) => thrown)
      expect(error).to.include({ status: 400, message: 'Problem parsing JSON: it is not valid UTF-8' })
    }
    expect(await appended()).to.deep.equal([])
  })

  it('A body that is not JSON is rejected with 400 and appends nothing', async () => {
    for (const body of ['', '{"machineId":', `${JSON.stringify({ machineId: mine, ...sample })}\n{oops}`]) {
      const error: unknown = await accept(body).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ApiError)
      expect(error).to.include({ status: 400, message: 'Problem parsing JSON' })
    }
    expect(await appended()).to.deep.equal([])
  })
})
