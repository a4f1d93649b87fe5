import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { encodeChunk } from '../../../log/embedded/chunk.ts'
import { chunkKey, encodeOffset, offsetKey, topicKey } from '../../../log/embedded/keys.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { repairEmbeddedLog } from '../../../log/embedded/repair.ts'
import { LogUnavailable, type Batch, type Log, type LostRecords } from '../../../log/log.ts'

/** Factor for the number of damaged positions in a run. */
const rounds = Number(process.env['TAKT_DAMAGE_ROUNDS'] ?? 1)
const topics = ['plain', 'other']
const partitions = 2
const specs = topics.map(name => ({ name, partitions, retentionMs: null }))

/** Acknowledged values by topic, partition and offset. */
type Acknowledged = Map<string, string>
const placeOf = (topic: string, partition: number, offset: number): string => `${topic}/${partition}/${offset}`

describe('damage of the embedded log', function () {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'takt-damage-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Writes small batches; `textOf` returns the value of a record. */
  async function append(log: Log, acknowledged: Acknowledged, writes: number, textOf: (n: number) => string) {
    for (let write = 0; write < writes; write++) {
      const topic = topics[write % topics.length] ?? ''
      const records = Array.from({ length: 1 + (write % 4) }, (_, index) => ({
        key: null,
        partition: (write + index) % partitions,
        value: Buffer.from(textOf(write * 10 + index)),
      }))
      const positions = await log.append(topic, records)
      for (const [index, { partition, offset }] of positions.entries()) {
        acknowledged.set(placeOf(topic, partition, offset), records[index]?.value.toString() ?? '')
      }
    }
  }

  /**
   * Creates the files that a killed process leaves; returns them with the values that were acknowledged, except for the
   * last write.
   */
  async function killed(textOf: (n: number) => string, writes = 400) {
    const path = join(folder, 'written')
    const log = await openEmbeddedLog({ path })
    await log.createTopics(specs)
    const acknowledged: Acknowledged = new Map()
    await append(log, acknowledged, writes, textOf)
    const before = new Map(acknowledged)
    await append(log, acknowledged, 1, textOf)
    const copy = join(folder, 'killed')
    cpSync(path, copy, { recursive: true })
    await log.close()
    return { path: copy, acknowledged, before }
  }

  /** Creates the files of a log that was closed and opened several times, so that its records are in tables. */
  async function closed(textOf: (n: number) => string) {
    const path = join(folder, 'closed')
    const acknowledged: Acknowledged = new Map()
    for (let start = 0; start < 3; start++) {
      const log = await openEmbeddedLog({ path })
      await log.createTopics(specs)
      await append(log, acknowledged, 200, textOf)
      await log.close()
    }
    return { path, acknowledged }
  }

  interface Opened {
    readonly refused: boolean
    readonly read: Acknowledged
    readonly losses: readonly LostRecords[]
    /** The offset of the next record of each partition. */
    readonly next: ReadonlyMap<string, number>
  }

  /** Opens a copy of a folder after a change, reads everything and appends to each partition. */
  async function openChanged(path: string, change: (copy: string) => void): Promise<Opened> {
    const copy = join(folder, 'copy')
    rmSync(copy, { recursive: true, force: true })
    cpSync(path, copy, { recursive: true })
    change(copy)
    const read: Acknowledged = new Map()
    const next = new Map<string, number>()
    let log
    try {
      log = await openEmbeddedLog({ path: copy })
      await log.createTopics(specs)
    } catch (error) {
      await log?.close()
      expect(error, String(error)).to.be.instanceOf(LogUnavailable)
      return { refused: true, read, next, losses: [] }
    }
    await log.damage.checked
    for (const topic of topics) {
      const follower = await log.follow({
        topic,
        from: 'earliest',
        onBatch: ({ partition, records }) => {
          for (const { offset, value } of records) read.set(placeOf(topic, partition, offset), value.toString())
        },
      })
      await follower.caughtUp
      await follower.stop()
      for (let partition = 0; partition < partitions; partition++) {
        const [position] = await log.append(topic, [{ key: null, partition, value: Buffer.from('next') }])
        next.set(`${topic}/${partition}`, position?.offset ?? -1)
      }
    }
    const losses = log.damage.list()
    await log.close()
    return { refused: false, read, losses, next }
  }

  /** Asserts that every acknowledged record is unchanged or reported as lost, and that no offset is used twice. */
  function expectComplete(opened: Opened, acknowledged: Acknowledged, label: string): void {
    if (opened.refused) return
    const lost = new Set(
      opened.losses.flatMap(({ topic, partition, from, to }) =>
        Array.from({ length: to - from }, (_, index) => placeOf(topic, partition, from + index)),
      ),
    )
    for (const [place, text] of acknowledged) {
      const [topic, partition, offset] = place.split('/')
      if (lost.has(place)) expect(opened.read.has(place), `${label}: ${place} is reported as lost`).to.equal(false)
      else expect(opened.read.get(place), `${label}: ${place}`).to.equal(text)
      expect(opened.next.get(`${topic}/${partition}`), `${label}: next of ${place}`).to.be.above(Number(offset))
    }
  }

  const flip = (name: string, at: number) => (copy: string) => {
    const bytes = readFileSync(join(copy, name))
    bytes[at] = (bytes[at] ?? 0) ^ 0x41
    writeFileSync(join(copy, name), bytes)
  }
  const filesOf = (path: string, pattern: RegExp): readonly { readonly name: string; readonly bytes: Buffer }[] =>
    readdirSync(path)
      .filter(name => pattern.test(name))
      .map(name => ({ name, bytes: readFileSync(join(path, name)) }))
      .filter(({ bytes }) => bytes.length > 0)

  const compressible = (n: number): string => `value ${n} ${'abc'.repeat(n % 50)}`
  const noise = (n: number): string => `${n} ${randomBytes(60 + (n % 300)).toString('latin1')}`
  const spread = (length: number, count: number): readonly number[] =>
    Array.from({ length: count }, (_, index) => Math.floor((index * length) / count))

  for (const [title, textOf] of [
    ['compressible', compressible],
    ['noise', noise],
  ] as const) {
    it(`Every record that a damaged journal of a killed process has lost is reported, and its offset is not used again (${title})`, async () => {
      const { path, before } = await killed(textOf)
      const [journal] = filesOf(path, /^\d+\.log$/)
      if (!journal) throw new Error('no journal')
      const starts = physicalRecords(journal.bytes)
      // Positions near the end are included, because LevelDB drops all following records of the journal.
      const indexes = [...spread(starts.length - 1, 2 * rounds), starts.length - 4]
      const chosen = indexes.map(index => starts[index] ?? 0)
      // The header of a record: CRC, length, type, sequence number, count, tag, key and the following value.
      const positions = chosen.flatMap(start => [0, 4, 5, 6, 7, 15, 19, 20, 21, 60, 100].map(at => start + at))
      let reported = 0
      for (const at of positions.filter(each => each < journal.bytes.length)) {
        const opened = await openChanged(path, flip(journal.name, at))
        expectComplete(opened, before, `byte ${at}`)
        reported += opened.losses.length
      }
      expect(reported).to.be.above(positions.length / 2)
    })

    it(`Every record that a damaged file of a closed log has lost is reported (${title})`, async () => {
      const { path, acknowledged } = await closed(textOf)
      let reported = 0
      for (const { name, bytes } of filesOf(path, /\.(ldb|log|json)$|MANIFEST|CURRENT/)) {
        // Positions in the footer, which is the end of a table, are included.
        const tail = spread(60, 6 * rounds).map(distance => Math.max(0, bytes.length - 1 - distance))
        const positions = new Set([...spread(bytes.length, 6 * rounds), ...tail])
        for (const at of positions) {
          const opened = await openChanged(path, flip(name, at))
          expectComplete(opened, acknowledged, `${name}, byte ${at} of ${bytes.length}`)
          reported += opened.losses.length + Number(opened.refused)
        }
        for (const length of spread(bytes.length, 2 * rounds)) {
          const opened = await openChanged(path, copy => truncateSync(join(copy, name), length))
          expectComplete(opened, acknowledged, `${name}, cut to ${length} of ${bytes.length}`)
        }
      }
      expect(reported).to.be.above(5)
    })
  }

  it('A repair restores every record of a log that cannot be opened', async () => {
    const { path, acknowledged } = await closed(compressible)
    const cut = (copy: string) => {
      for (const { name } of filesOf(copy, /MANIFEST/)) truncateSync(join(copy, name), 1)
    }
    expect((await openChanged(path, cut)).refused).to.equal(true)
    const log = await openEmbeddedLog({ path })
    const inUse = await repairEmbeddedLog(path).catch((error: unknown) => error)
    expect(inUse).to.be.instanceOf(LogUnavailable)
    await log.close()
    cut(path)
    await repairEmbeddedLog(path)
    const opened = await openChanged(path, () => undefined)
    expect(opened.losses).to.deep.equal([])
    expectComplete(opened, acknowledged, 'repaired')
  })

  it('A log of a version without checksums is read completely, and reports no loss', async () => {
    const path = join(folder, 'old')
    const db = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
    const row = { id: 1, partitions: 1, retentionMs: null }
    await db.put(topicKey('plain'), Buffer.from(JSON.stringify(row)))
    for (const first of [0, 2, 4]) {
      const records = [first, first + 1].map(n => ({ key: null, value: Buffer.from(`old ${n}`) }))
      await db.put(chunkKey(1, 0, { first, count: 2, timestampMs: 5 }), encodeChunk(records))
    }
    await db.put(offsetKey(1, 0, 'group'), encodeOffset(3).subarray(0, 8))
    await db.close()
    const log = await openEmbeddedLog({ path })
    await log.damage.checked
    expect(log.damage.list()).to.deep.equal([])
    expect(await log.committed('group', 'plain')).to.deep.equal([3])
    expect(await log.append('plain', [{ key: null, value: Buffer.from('new') }])).to.deep.equal([
      { partition: 0, offset: 6 },
    ])
    const read: string[] = []
    const onBatch = ({ records }: Batch) => void read.push(...records.map(({ value }) => value.toString()))
    const follower = await log.follow({ topic: 'plain', from: 'earliest', onBatch })
    await follower.catchUp()
    expect(read).to.deep.equal(['old 0', 'old 1', 'old 2', 'old 3', 'old 4', 'old 5', 'new'])
    await log.close()
  })

  it('A last write that is cut off at any byte loses no acknowledged record', async () => {
    const { path, before } = await killed(compressible, 60)
    const [journal] = filesOf(path, /^\d+\.log$/)
    if (!journal) throw new Error('no journal')
    const last = physicalRecords(journal.bytes).at(-1) ?? 0
    for (const cut of spread(journal.bytes.length - last, 15 * rounds)) {
      const length = last + cut
      for (const isZeroFilled of [false, true]) {
        const opened = await openChanged(path, copy => {
          truncateSync(join(copy, journal.name), length)
          if (isZeroFilled) truncateSync(join(copy, journal.name), journal.bytes.length)
        })
        const label = `cut to ${length}${isZeroFilled ? ', zeros behind' : ''}`
        expect(opened.refused, label).to.equal(false)
        expectComplete(opened, before, label)
        if (length < journal.bytes.length - 1) expect(opened.losses, label).to.deep.equal([])
      }
    }
  })
})

/** Returns the offsets at which the physical records of a LevelDB journal begin. */
function physicalRecords(journal: Buffer): readonly number[] {
  const starts: number[] = []
  for (let at = 0; at + 7 <= journal.length;) {
    const left = 32_768 - (at % 32_768)
    if (left < 7) at += left
    else {
      starts.push(at)
      at += 7 + journal.readUInt16LE(at + 4)
    }
  }
  return starts
}
