import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import type { Log, LogRecord } from '../../../log/log.ts'
import { eventually, Received } from '../fixture.ts'

const writer = fileURLToPath(new URL('overwriting-writer.ts', import.meta.url))
const topic = 'compacted'
const spec = { name: topic, partitions: 1, retentionMs: null, isCompacted: true }

describe('compaction of the embedded log', () => {
  let path = ''
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'takt-compaction-'))
  })
  afterEach(() => {
    rmSync(path, { recursive: true, force: true })
  })

  const open = () => openEmbeddedLog({ path, retentionEveryMs: 10 })

  it('The newest record of each key stays, older ones and deleted keys are removed, and offsets continue', async () => {
    let log = await open()
    await log.createTopics([spec])
    const headers = { made: 'once' }
    await log.append(topic, [
      { key: 'cold', value: Buffer.from('first'), headers },
      { key: 'deleted', value: Buffer.from('gone') },
    ])
    await log.append(topic, [{ key: 'deleted', value: Buffer.alloc(0) }])
    const live = new Received()
    const follower = await log.follow({ topic, from: 'earliest', onBatch: live.onBatch })
    // Enough for several compactions of which each replaces several steps.
    const last = await overwrite(log, 100)
    await eventually(async () => (await readAll(log)).length < 60)
    const compacted = await readAll(log)
    expect(newest(compacted)).to.deep.equal({ cold: 'first', ...last })
    expect(compacted.find(({ key }) => key === 'cold')?.headers).to.deep.equal(headers)
    await follower.catchUp()
    expect(newest(live.records)).to.deep.equal({ cold: 'first', deleted: '', ...last })
    await follower.stop()

    await log.close()
    // Without further compactions, which move the end.
    log = await openEmbeddedLog({ path })
    await log.createTopics([spec])
    const [end = 0] = await log.endOffsets(topic)
    expect(end).to.be.at.least(103)
    expect(newest(await readAll(log))).to.deep.equal({ cold: 'first', ...last })
    expect(await log.append(topic, [{ key: 'cold', value: Buffer.from('second') }])).to.deep.equal([
      { partition: 0, offset: end },
    ])
    await log.damage.checked
    expect(log.damage.list(), 'losses').to.deep.equal([])
    await log.close()
  })

  it('A topic that is not compacted keeps all records', async () => {
    const log = await open()
    await log.createTopics([{ ...spec, isCompacted: false }])
    await overwrite(log, 60)
    const kept = await readAll(log)
    expect(kept).to.have.length(60)
    await log.close()
  })

  it('A record that is overwritten while a compaction appends it again stays the older one', async () => {
    const log = await open()
    await log.createTopics([spec])
    const record = (key: number, name: string) => ({
      key: String(key),
      value: Buffer.concat([Buffer.from(`${name} `), randomBytes(20_000)]),
    })
    const keys = [...Array.from({ length: 1_000 }).keys()]
    for (let first = 0; first < keys.length; first += 100)
      await log.append(
        topic,
        keys.slice(first, first + 100).map(key => record(key, 'old')),
      )
    let appended = keys.length
    const isCompacting = async () => ((await log.endOffsets(topic))[0] ?? 0) > appended
    while (!(await isCompacting())) {
      await log.append(topic, [{ key: 'hot', value: randomBytes(1 << 16) }])
      appended++
    }
    // In another order than the compaction, so that some of these appends overtake it.
    const shuffled = keys.map(key => (key * 373) % keys.length)
    const overwriteSome = async (): Promise<void> => {
      for (let some = shuffled.splice(0, 5); some.length > 0; some = shuffled.splice(0, 5))
        await log.append(
          topic,
          some.map(key => record(key, 'new')),
        )
    }
    await Promise.all([1, 2, 3, 4].map(overwriteSome))
    const { hot: _, ...stored } = newest(await readAll(log))
    expect(Object.entries(stored).filter(([, name]) => name !== 'new')).to.deep.equal([])
    expect(Object.keys(stored)).to.have.length(keys.length)
    await log.close()
  })

  it('Records that are written during compactions are the newest, also after a kill', async () => {
    const acknowledged = await overwriteUntilKilled(path)
    const log = await open()
    expect(Object.keys(acknowledged)).to.have.length(20)
    const stored = newest(await readAll(log))
    const older = Object.entries(acknowledged).filter(([key, value]) => Number(stored[key] ?? -1) < value)
    expect(older, 'keys whose acknowledged record is lost').to.deep.equal([])
    await log.damage.checked
    expect(log.damage.list(), 'losses').to.deep.equal([])
    await log.close()
  })
})

/** Appends `count` records of 1 MiB for four keys; returns the start of the newest value of each. */
async function overwrite(log: Log, count: number): Promise<Readonly<Record<string, string>>> {
  const last: Record<string, string> = {}
  for (let turn = 0; turn < count; turn++) {
    const key = `hot ${turn % 4}`
    const value = Buffer.concat([Buffer.from(`${turn} `), randomBytes(1 << 20)])
    await log.append(topic, [{ key, value }])
    last[key] = String(turn)
  }
  return last
}

async function readAll(log: Log): Promise<readonly LogRecord[]> {
  const received = new Received()
  const follower = await log.follow({ topic, from: 'earliest', onBatch: received.onBatch })
  await follower.caughtUp
  await follower.stop()
  return received.records
}

/** The newest value of each key, up to its first space. */
function newest(records: readonly LogRecord[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    records.map(({ key, value }) => [key ?? '', value.toString('latin1', 0, 40).split(' ', 1)[0] ?? '']),
  )
}

/** Runs a process that overwrites keys until it is killed during its compactions; returns the acknowledged numbers. */
async function overwriteUntilKilled(path: string): Promise<Readonly<Record<string, number>>> {
  const child = spawn(process.execPath, ['--import', 'tsx', writer, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise(resolve => child.once('close', resolve))
  const acknowledged: Record<string, number> = {}
  let sinceCompaction = -1
  for await (const line of createInterface(child.stdout)) {
    const [key = '', number] = line.split(' ')
    if (key === 'compacted') sinceCompaction = 0
    else acknowledged[key] = Number(number)
    if (sinceCompaction >= 0 && sinceCompaction++ === 200) child.kill('SIGKILL')
  }
  await gone
  return acknowledged
}
