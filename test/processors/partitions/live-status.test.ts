import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { StatusPublisher } from '../../../processors/partitions/live-status.ts'
import { createTrack, emptyHour, type MachineTrack } from '../../../processors/partitions/machine-track.ts'
import { initialState, type ActiveCondition, type MachineState } from '../../../processors/timeline/state.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { topics, type LiveStatus } from '../../../schema/topics.ts'
import { parseLiveMessage } from '../../../service/live/message.ts'
import { inputsOf, startMs } from '../timeline/support.ts'

/** Maximum size of a Kafka record in this test. */
const maxRecordBytes = 900_000

describe('status publisher', () => {
  let path: string
  let log: Log
  /** Errors with which the next appends fail. */
  let failures: Error[]
  let append: Log['append']

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'takt-statuses-'))
    log = await openEmbeddedLog({ path })
    await log.createTopics([{ name: topics.live, partitions: 1, retentionMs: null }])
    failures = []
    append = log.append.bind(log)
    log.append = async (topic, records) => {
      const failure = failures.shift()
      if (failure) throw failure
      if (records.some(({ value }) => value.length > maxRecordBytes)) throw new Error('the record is too large')
      return append(topic, records)
    }
  })
  afterEach(async () => {
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })

  const publisher = () => new StatusPublisher({ log, clock: () => startMs, logger: pino({ level: 'silent' }) })

  const state = (value: 'cycle' | 'other', sinceMs: number): MachineState => ({
    ...initialState(),
    executions: [['execution', value]],
    statusSinceMs: sinceMs,
  })

  function track(ref: number, stateOut: MachineState): MachineTrack {
    const inputs = inputsOf({}, { machineRef: asMachineRef(ref) })
    const made = createTrack(asMachineRef(ref), asCompanyRef(1), inputs, startMs)
    made.hours.set(startMs, { ...emptyHour(), stateOut })
    return made
  }

  /** Returns all statuses in the topic, in order. */
  async function published(): Promise<readonly LiveStatus[]> {
    const statuses: LiveStatus[] = []
    const follower = await log.follow({
      topic: topics.live,
      from: 'earliest',
      onBatch: ({ records }) => {
        for (const { value } of records) statuses.push(...(parseLiveMessage(value, 'status')?.statuses ?? []))
      },
    })
    await follower.catchUp()
    await follower.stop()
    return statuses
  }

  const refs = async () => (await published()).map(({ machineRef }) => machineRef)

  /** Resolves when the results of all appends have been processed. */
  const answered = async () => {
    await append(topics.live, [{ key: null, value: Buffer.from('{"kind":"progress"}') }])
    await new Promise(resolve => setImmediate(resolve))
  }

  it("Every machine's status is published, even with thousands of faults and long messages", async () => {
    const fault = (code: number, chars: number): ActiveCondition => ({
      key: 'system',
      code: String(code),
      type: 'SYSTEM',
      level: 'FAULT',
      message: 'x'.repeat(chars),
      startMs,
    })
    const faults = (count: number, chars: number): MachineState => ({
      ...state('cycle', startMs),
      conditions: Array.from({ length: count }, (_, code) => fault(code, chars)),
    })
    const worst = track(1, faults(2_000, 1_000))
    const tracks = Array.from({ length: 100 }, (_, i) => track(2 + i, faults(2, 16_000)))
    publisher().computed([worst, ...tracks])
    await answered()
    expect(await refs()).to.deep.equal([worst, ...tracks].map(({ machineRef }) => machineRef))
    expect((await published()).at(-1)?.faults.map(({ message }) => message.length)).to.deep.equal([16_000, 0])
  })

  it('Only a status whose append failed is published again', async () => {
    const statuses = publisher()
    const [lost, other] = [track(1, state('cycle', startMs)), track(2, state('other', startMs))]
    failures = [new Error('the leader is unavailable'), new Error('the leader is still unavailable')]
    statuses.computed([lost])
    statuses.computed([lost])
    await answered()
    expect(await refs()).to.deep.equal([])
    statuses.computed([other])
    statuses.refresh([lost, other])
    await answered()
    statuses.refresh([lost, other])
    await answered()
    statuses.refresh([lost, other])
    await answered()
    expect(await refs()).to.deep.equal([1, 2])
  })

  it('If the append of an earlier status failed, only the newest status is published', async () => {
    const statuses = publisher()
    failures = [new Error('the leader is unavailable')]
    statuses.computed([track(1, state('cycle', startMs))])
    statuses.computed([track(1, state('other', startMs + 1))])
    await answered()
    statuses.refresh([track(1, state('other', startMs + 1))])
    await answered()
    expect((await published()).map(({ status }) => status)).to.deep.equal(['INACTIVE'])
  })
  it('After `forget`, a status is published again because another owner may have published a different one', async () => {
    const statuses = publisher()
    const machine = track(1, state('cycle', startMs))
    statuses.computed([machine])
    statuses.computed([machine])
    await answered()
    expect(await refs()).to.deep.equal([1])
    statuses.forget([machine])
    statuses.computed([machine])
    await answered()
    expect(await refs()).to.deep.equal([1, 1])
  })
})
