import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { LogUnavailable, type Log } from '../../../log/log.ts'
import { eventually, freshGroup, freshTopic, gate, Received, text } from '../fixture.ts'

const writer = fileURLToPath(new URL('crashing-writer.ts', import.meta.url))

describe('embedded log after its process is killed', () => {
  const paths: string[] = []
  afterEach(() => {
    for (const path of paths.splice(0)) rmSync(path, { recursive: true, force: true })
  })

  for (const round of [1, 2]) {
    it(`After a kill, the embedded log has every acknowledged record, in order and once (round ${round})`, async () => {
      const path = mkdtempSync(join(tmpdir(), 'takt-crash-'))
      paths.push(path)
      const answered = await writeUntilKilled(path, told => told.length === 400 * round)
      await expectAnswered(path, answered)
    })
  }
})

/** Opens the log again; asserts that all acknowledged records exist, in order and once, and that appends continue. */
async function expectAnswered(path: string, answered: readonly string[]): Promise<void> {
  const log = await openEmbeddedLog({ path })
  const received = new Received()
  const follower = await log.follow({ topic: 'appended', from: 'earliest', onBatch: received.onBatch })
  await follower.caughtUp
  const names = received.texts.map(each => each.split(' ', 1)[0])
  const seen = new Set(names)
  expect(seen.size).to.equal(names.length)
  const appended = answered.filter(line => !line.startsWith('t') && line !== 'full')
  expect(appended.filter(line => !seen.has(line))).to.deep.equal([])

  // A transaction is complete, including its input offset, or absent.
  const outputs = new Received()
  const transactions = await log.follow({ topic: 'transacted', from: 'earliest', onBatch: outputs.onBatch })
  await transactions.caughtUp
  const [committed] = await log.committed('g', 'appended')
  const lastAnswered = Math.max(0, ...answered.filter(line => line.startsWith('t')).map(line => Number(line.slice(1))))
  expect(committed ?? 0).to.be.at.least(lastAnswered)
  expect(outputs.texts).to.deep.equal(
    Array.from({ length: committed ?? 0 }, (_, index) => [`a${index + 1}`, `b${index + 1}`]).flat(),
  )
  const [end] = await log.endOffsets('appended')
  expect(end).to.equal(seen.size)
  expect(await log.append('appended', [text('goes on')])).to.deep.equal([{ partition: 0, offset: end }])
  await log.damage.checked
  expect(log.damage.list(), 'losses').to.deep.equal([])
  await log.close()
}

/** Runs a process that writes until it is killed when `isEnough` holds for its acknowledgements; returns them. */
async function writeUntilKilled(
  path: string,
  isEnough: (answered: readonly string[]) => boolean,
  noiseBytes = 0,
): Promise<readonly string[]> {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', writer, path, String(noiseBytes)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const answered: string[] = []
  const gone = new Promise(resolve => child.once('close', resolve))
  if (child.stdout === null || child.stderr === null) throw new Error('The writer process has no output')
  const errors: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  for await (const line of createInterface(child.stdout)) {
    answered.push(line)
    if (isEnough(answered)) child.kill('SIGKILL')
  }
  await gone
  const end = `exit code ${String(child.exitCode)} after ${answered.length} answers: ${errors.join('')}`
  expect(child.signalCode, end).to.equal('SIGKILL')
  return answered
}

describe('embedded log on a full disk', () => {
  let dir: string
  let log: Log

  before(function () {
    dir = mkdtempSync(join(tmpdir(), 'takt-full-'))
    const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dir], { encoding: 'utf8' })
    if (status === 0) return
    rmSync(dir, { recursive: true, force: true })
    process.stderr.write(`No small file system to fill, skipping: ${stderr}\n`)
    this.skip()
  })
  after(() => {
    if (!existsSync(dir)) return
    spawnSync('umount', ['-l', dir])
    rmSync(dir, { recursive: true, force: true })
  })

  it('A full disk rejects appends without partial records, and appends succeed once space is free', async () => {
    const ballast = join(dir, 'ballast')
    // More bytes than are free: on opening, LevelDB writes its journals again, some or none of which are flushed.
    writeFileSync(ballast, Buffer.alloc(34 << 20))
    log = await openEmbeddedLog({ path: join(dir, 'log') })
    const topic = await freshTopic(log, 2)
    const group = freshGroup()
    const transactor = await log.transactor('x', { topics: [topic], group })
    const place = { group, topic, partition: 0 }
    await transactor.commit([{ topic, ...text('first', { partition: 1 }) }], { ...place, offset: 1 })
    const received = new Received()
    const follower = await log.follow({ topic, from: 'earliest', onBatch: received.onBatch })

    // Appends incompressible data until the disk is full.
    const taken: number[] = [0]
    let refused: unknown
    for (let turn = 1; refused === undefined; turn++) {
      const noise = randomBytes(200_000)
      noise.writeUInt32BE(turn)
      refused = await log.append(topic, [{ key: null, value: noise, partition: 0 }]).then(
        () => void taken.push(turn),
        (error: unknown) => error,
      )
    }
    expect(refused).to.be.instanceOf(LogUnavailable)
    const also = await transactor
      .commit([{ topic, ...text('x'.repeat(100_000), { partition: 1 }) }], { ...place, offset: 2 })
      .catch((error: unknown) => error)
    expect(also).to.be.instanceOf(LogUnavailable)
    expect(await log.committed(group, topic)).to.deep.equal([1, null])
    const ends = await log.endOffsets(topic)
    expect(ends).to.deep.equal([taken.length - 1, 1])

    rmSync(ballast)
    await eventually(() =>
      log.append(topic, [text('after', { partition: 0 })]).then(
        () => true,
        () => false,
      ),
    )
    await transactor.commit([{ topic, ...text('second', { partition: 1 }) }], { ...place, offset: 3 })
    await received.count(taken.length + 2)
    await follower.stop()
    const inPartition = (partition: number): readonly Buffer[] =>
      received.records.filter(record => record.partition === partition).map(({ value }) => value)
    expect(
      inPartition(0)
        .slice(0, -1)
        .map(value => value.readUInt32BE()),
    ).to.deep.equal(taken.slice(1))
    expect(inPartition(0).at(-1)?.toString()).to.equal('after')
    expect(inPartition(1).map(String)).to.deep.equal(['first', 'second'])
    expect(received.records.filter(({ partition }) => partition === 0).map(({ offset }) => offset)).to.deep.equal([
      ...taken.keys(),
    ])

    await log.close()
    log = await openEmbeddedLog({ path: join(dir, 'log') })
    expect(await log.endOffsets(topic)).to.deep.equal([taken.length, 2])
    expect(await log.committed(group, topic)).to.deep.equal([3, null])
    await log.close()
  })
})

describe('embedded log after its process is killed on a full disk', () => {
  let dir: string
  before(function () {
    dir = mkdtempSync(join(tmpdir(), 'takt-full-'))
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dir]).status === 0) return
    rmSync(dir, { recursive: true, force: true })
    process.stderr.write('No small file system to fill, skipping\n')
    this.skip()
  })
  after(() => {
    if (!existsSync(dir)) return
    spawnSync('umount', ['-l', dir])
    rmSync(dir, { recursive: true, force: true })
  })

  for (const refusals of [3])
    it(`After a kill on a full disk, the embedded log has every acknowledged record (after ${refusals} rejections)`, async () => {
      const path = join(dir, `log-${refusals}`)
      const ballast = join(dir, 'ballast')
      writeFileSync(ballast, Buffer.alloc(34 << 20))
      let refused = 0
      const countRefused = (answered: readonly string[]): boolean => {
        refused += answered.at(-1) === 'full' ? 1 : 0
        return refused >= refusals
      }
      const answered = await writeUntilKilled(path, countRefused, 20_000)
      expect(answered.length - refused, 'answers before').to.be.above(50)
      rmSync(ballast)
      await expectAnswered(path, answered)
      rmSync(path, { recursive: true })
    })
})

describe('directory of an embedded log', () => {
  it('The directory of an embedded log can be opened by one log only', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-lock-'))
    const log = await openEmbeddedLog({ path })
    const refused = await openEmbeddedLog({ path }).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(LogUnavailable)
    await log.close()
    const appended = await log.append('gone', [text('x')]).catch((error: unknown) => error)
    expect(appended).to.be.instanceOf(Error)
    rmSync(path, { recursive: true, force: true })
  })
})

describe('retention of the embedded log', () => {
  it('Expired records are deleted, offsets continue, and a topic without retention keeps its records', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-retention-'))
    let now = Date.UTC(2025, 0, 1)
    const options = { path, clock: () => now, retentionEveryMs: 10 }
    let log = await openEmbeddedLog(options)
    const short = await freshTopic(log, 1, 3_600_000)
    const eternal = await freshTopic(log, 1, null)
    for (const topic of [short, eternal]) await log.append(topic, [text('old 1'), text('old 2')])
    const stuck = gate()
    const slow = new Received()
    const consumer = await log.consume({
      topic: short,
      group: 'g',
      onBatch: async batch => {
        await stuck.opened
        await slow.onBatch(batch)
      },
    })
    now += 3_000_000
    for (const topic of [short, eternal]) await log.append(topic, [text('newer')])
    now += 1_000_000
    const readAll = async (topic: string): Promise<readonly string[]> => {
      const received = new Received()
      const follower = await log.follow({ topic, from: 'earliest', onBatch: received.onBatch })
      await follower.caughtUp
      await follower.stop()
      return received.texts
    }
    await eventually(async () => (await readAll(short)).length === 1)
    expect(await readAll(short)).to.deep.equal(['newer'])
    expect(await readAll(eternal)).to.deep.equal(['old 1', 'old 2', 'newer'])
    stuck.open()
    await slow.count(3)
    expect(slow.texts).to.deep.equal(['old 1', 'old 2', 'newer'])
    await consumer.stop()

    now += 10_000_000
    await eventually(async () => (await readAll(short)).length === 0)
    await log.close()
    log = await openEmbeddedLog(options)
    expect(await log.endOffsets(short)).to.deep.equal([3])
    expect(await log.append(short, [text('next')])).to.deep.equal([{ partition: 0, offset: 3 }])
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })

  it('Records beyond the size limit of the last start are deleted, oldest first', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-retention-'))
    let log = await openEmbeddedLog({ path, retentionEveryMs: 10 })
    const spec = { name: 'bounded', partitions: 1, retentionMs: null }
    await log.createTopics([spec])
    const count = 60
    for (let turn = 0; turn < count; turn++) {
      await log.append('bounded', [{ key: null, value: randomBytes(1 << 20) }])
    }
    await log.append('bounded', [text('newest')])
    const stored = async (): Promise<readonly string[]> => {
      const received = new Received()
      const follower = await log.follow({ topic: 'bounded', from: 'earliest', onBatch: received.onBatch })
      await follower.caughtUp
      await follower.stop()
      return received.texts
    }
    expect(await stored()).to.have.length(count + 1)
    await log.close()

    const maxMb = 20
    log = await openEmbeddedLog({ path, retentionEveryMs: 10 })
    await log.createTopics([{ ...spec, retentionBytes: maxMb << 20 }])
    // LevelDB does not count the newest 16 MB, which are in memory.
    await eventually(async () => (await stored()).length <= maxMb + 20)
    const kept = await stored()
    expect(kept.length).to.be.at.least(2)
    expect(kept.at(-1)).to.equal('newest')
    expect(await log.endOffsets('bounded')).to.deep.equal([count + 1])
    await log.close()
    rmSync(path, { recursive: true, force: true })
  })
})
