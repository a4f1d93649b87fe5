import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log } from '../../../log/log.ts'
import { createStatusPublisher } from '../../../processors/partitions/live-status.ts'
import { createTrack, emptyHour, type MachineTrack } from '../../../processors/partitions/machine-track.ts'
import { initialState, type ActiveCondition, type MachineState } from '../../../processors/timeline/state.ts'
import { asCompanyRef, asMachineRef } from '../../../schema/refs.ts'
import { topics, type LiveStatus } from '../../../schema/topics.ts'
import { readLive } from '../../../service/live/message.ts'
import { inputsOf, startMs } from '../timeline/support.ts'

/** A record of Kafka may be so long. */
const mostBytes = 900_000

describe('the publisher of statuses', () => {
  let path: string
  let log: Log
  /** Errors of the appends to come. */
  let failures: Error[]
  let appends: number

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'takt-statuses-'))
    log = await openEmbeddedLog({ path })
    await log.createTopics([{ name: topics.live, partitions: 1, retentionMs: null }])
    failures = []
    appends = 0
    const append = log.append.bind(log)
    log.append = async (topic, records) => {
      appends++
      const failure = failures.shift()
      if (failure) throw failure
      if (records.some(({ value }) => value.length > mostBytes)) throw new Error('the record is too large')
      return append(topic, records)
    }
  })
  afterEach(async () => {
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })

  const publisher = () =>
    createStatusPublisher({ log, clock: () => startMs, logger: pino({ level: 'silent' }) })

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

  /** Every status in the topic, in order. */
  async function told(): Promise<readonly LiveStatus[]> {
    const statuses: LiveStatus[] = []
    const follower = await log.follow({
      topic: topics.live,
      from: 'earliest',
      onBatch: ({ records }) => {
        for (const { value } of records) statuses.push(...(readLive(value, 'status')?.statuses ?? []))
      },
    })
    await follower.catchUp()
    await follower.stop()
    return statuses
  }

  /** Resolves once the answers of all appends were heard. */
  const answered = async () => {
    await log.append(topics.live, [{ key: null, value: Buffer.from('{"kind":"progress"}') }])
    await new Promise(resolve => setImmediate(resolve))
  }

  it('tells every machine, however many faults with however long messages', async () => {
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
    const statuses = await told()
    expect(statuses.map(({ machineRef }) => machineRef)).to.deep.equal(
      [worst, ...tracks].map(({ machineRef }) => machineRef),
    )
    expect(statuses.at(-1)?.faults.map(({ message }) => message.length)).to.deep.equal([16_000, 0])
  })
})
