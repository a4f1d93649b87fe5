import { expect } from 'chai'
import { createHash } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { BufferedDelivery } from '../../../connect/buffer/buffered-delivery.ts'
import { BufferFile } from '../../../connect/buffer/buffer-file.ts'
import { Buffers } from '../../../connect/buffer/buffers.ts'
import { newTotals } from '../../../connect/source/totals.ts'
import type { Acceptor } from '../../../ingest/accept/acceptor.ts'
import { LogUnavailable } from '../../../log/log.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { eventually } from '../../log/fixture.ts'

const id = 'company/connector'
const companyRef = asCompanyRef(3)
const mebibyte = 1 << 20

function samples(from: number, to: number, text = ''): readonly WireSample[] {
  const names = { machineId: 'machine', timestamp: '2024-05-06T07:59:59Z', key: 'count', type: 'PART_COUNT' }
  return Array.from({ length: to - from }, (_, index) => ({ ...names, value: `${from + index}${text}` }))
}

/** A log that is unavailable while a test wants it, and what it has accepted. */
class TestLog {
  isAvailable = true
  attempts = 0
  readonly bodies: string[] = []

  readonly acceptor: Acceptor = {
    accept: async ({ body, companyRef: ref }) => {
      this.attempts++
      if (!this.isAvailable) throw new LogUnavailable('No broker')
      expect(ref).to.equal(companyRef)
      this.bodies.push(body.toString())
      return { accepted: 1, rejected: [], rejectedCount: 0, rejectedByCode: {} }
    },
  }

  get values(): readonly string[] {
    return this.bodies.flatMap(body => {
      const batch: readonly WireSample[] = JSON.parse(body)
      return batch.map(({ value }) => String(value))
    })
  }
}

/** Returns the descriptor of this process for a file. */
function descriptorOf(path: string): number {
  const target = realpathSync(path)
  const names = readdirSync('/proc/self/fd').filter(name => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === target
    } catch {
      return false
    }
  })
  expect(names).to.have.lengthOf(1)
  return Number(names[0])
}

/** Makes a descriptor one of another file. */
function redirect(descriptor: number, path: string, flags: string): void {
  closeSync(descriptor)
  const opened: number[] = []
  // A new descriptor is the lowest one that is free.
  do opened.push(openSync(path, flags))
  while (opened.at(-1) !== descriptor)
  for (const other of opened.slice(0, -1)) closeSync(other)
}

const valuesOf = (all: readonly WireSample[]) => all.map(({ value }) => String(value))

describe('buffer of samples on disk', () => {
  let folder: string
  let log: TestLog
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-buffer-'))
    log = new TestLog()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const open = (eachBytes = 64 * mebibyte, totalBytes = 1024 * mebibyte) =>
    Buffers.open({
      folder,
      acceptor: log.acceptor,
      limits: { eachBytes, totalBytes },
      logger: pino({ level: 'silent' }),
    })
  const deliveryOf = (buffers: Buffers) => new BufferedDelivery(buffers.of(id, companyRef), Date.now)
  const path = () => join(folder, readdirSync(folder)[0] ?? '')

  it('Samples and bodies reach the log in order, and the file is deleted at the end', async () => {
    const buffers = await open()
    const delivery = deliveryOf(buffers)
    await delivery.deliver(samples(0, 5_000))
    await delivery.deliverBody(Buffer.from(JSON.stringify(samples(5_000, 5_001))))
    await delivery.deliver([])
    await delivery.deliver(samples(5_001, 5_010))
    await delivery.drain()
    expect(log.values).to.deep.equal(valuesOf(samples(0, 5_010)))
    expect(buffers.of(id, companyRef).read()).to.deep.equal({ samples: 0, bytes: 0, oldestMs: null })
    await buffers.stop()
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('Samples that an unavailable log did not accept are sent by the next process, the oldest first, without their connector', async () => {
    log.isAvailable = false
    const first = await open()
    for (let at = 0; at < 30; at += 10) await deliveryOf(first).deliver(samples(at, at + 10))
    const { samples: count, oldestMs } = first.of(id, companyRef).read()
    expect([count, oldestMs !== null]).to.deep.equal([30, true])
    await first.stop()
    const second = await open()
    await deliveryOf(second).deliver(samples(30, 40))
    log.isAvailable = true
    await eventually(() => log.values.length === 40)
    expect(log.values).to.deep.equal(valuesOf(samples(0, 40)))
    await second.stop()
  })

  it('A file that a crash has cut anywhere keeps its complete records', async () => {
    log.isAvailable = false
    const first = await open()
    const ends: number[] = []
    for (let at = 0; at < 8; at++) {
      await deliveryOf(first).deliver(samples(at, at + 1))
      ends.push(readFileSync(path()).length)
    }
    await first.stop()
    const name = path()
    const bytes = readFileSync(name)
    for (let length = 0; length <= bytes.length; length += 13) {
      log = new TestLog()
      writeFileSync(name, bytes)
      truncateSync(name, length)
      const buffers = await open()
      const whole = ends.filter(end => end <= length).length
      await deliveryOf(buffers).deliver(samples(100, 101))
      await deliveryOf(buffers).drain()
      expect(log.values, `${length} bytes`).to.deep.equal([...valuesOf(samples(0, whole)), '100'])
      await buffers.stop()
    }
  })

  it('A record with a changed byte ends the file', async () => {
    log.isAvailable = false
    const first = await open()
    for (let at = 0; at < 3; at++) await deliveryOf(first).deliver(samples(at, at + 1))
    await first.stop()
    const bytes = readFileSync(path())
    const at = bytes.lastIndexOf('"1"') + 1
    bytes.write('7', at)
    writeFileSync(path(), bytes)
    log.isAvailable = true
    const second = await open()
    await eventually(() => log.values.length > 0 && readdirSync(folder).length > 0)
    await deliveryOf(second).drain()
    expect(log.values).to.deep.equal(['0'])
    await second.stop()
  })

  it('A full buffer delays deliveries until the log has accepted samples, and loses none', async () => {
    log.isAvailable = false
    const buffers = await open(4 * mebibyte, 6 * mebibyte)
    const delivery = deliveryOf(buffers)
    const text = 'x'.repeat(mebibyte / 2)
    let delivered = 0
    const all = Array.from({ length: 20 }, (_, at) =>
      delivery.deliver(samples(at, at + 1, text)).then(() => (delivered = at + 1)),
    )
    await eventually(() => !delivery.hasSpace() && delivered > 0)
    expect(delivered).to.equal(7)
    const other = new BufferedDelivery(buffers.of('company/other', companyRef), Date.now)
    await other.deliver(samples(0, 1))
    expect([delivery.hasSpace(), other.hasSpace()], 'limit of each').to.deep.equal([false, true])
    await other.deliver(samples(0, 3, text))
    expect(other.hasSpace(), 'limit of all').to.equal(false)
    log.isAvailable = true
    await Promise.all(all)
    await delivery.drain()
    await other.drain()
    expect(log.values.filter(value => value.endsWith('x'))).to.have.lengthOf(23)
    expect(delivery.hasSpace()).to.equal(true)
    await buffers.stop()
  })

  it('A source reads no further while the disk refuses records, and none is lost', async function () {
    if (process.platform !== 'linux') this.skip()
    log.isAvailable = false
    const buffers = await open()
    const delivery = deliveryOf(buffers)
    await delivery.deliver(samples(0, 1))
    await eventually(() => log.attempts > 0)
    const descriptor = descriptorOf(path())
    redirect(descriptor, '/dev/full', 'r+')
    const refused = delivery.deliver(samples(1, 2))
    await eventually(() => !delivery.hasSpace())
    expect(delivery.hasSpace(), 'between two attempts').to.equal(false)
    redirect(descriptor, path(), 'a+')
    await refused
    expect(delivery.hasSpace(), 'after the disk has accepted it').to.equal(true)
    log.isAvailable = true
    await delivery.drain()
    expect(log.values).to.deep.equal(['0', '1'])
    await buffers.stop()
  })

  it('A file of which most is sent becomes smaller, and its rest is sent once', async () => {
    log.isAvailable = false
    const buffers = await open()
    const delivery = deliveryOf(buffers)
    const text = 'x'.repeat(1_000)
    for (let at = 0; at < 20_000; at += 500) await delivery.deliver(samples(at, at + 500, text))
    const full = readFileSync(path()).length
    log.isAvailable = true
    await eventually(() => buffers.of(id, companyRef).read().bytes < full / 2)
    await delivery.deliver(samples(20_000, 20_001, text))
    await delivery.drain()
    expect(log.values).to.deep.equal(valuesOf(samples(0, 20_001, text)))
    await buffers.stop()
  })

  it('A file that cannot be opened does not affect the other ones, and its connector opens it later', async () => {
    log.isAvailable = false
    const first = await open()
    await deliveryOf(first).deliver(samples(0, 1))
    await first.stop()
    const name = path()
    renameSync(name, `${name}.kept`)
    mkdirSync(name)
    log.isAvailable = true
    const second = await open()
    expect(() => second.of(id, companyRef)).to.throw('EISDIR')
    const other = new BufferedDelivery(second.of('company/other', companyRef), Date.now)
    await other.deliver(samples(1, 2))
    await other.drain()
    rmdirSync(name)
    renameSync(`${name}.kept`, name)
    await deliveryOf(second).drain()
    expect(log.values).to.deep.equal(['1', '0'])
    await second.stop()
  })

  it('A file that cannot be written is closed after each attempt to open it', async function () {
    if (process.platform !== 'linux') this.skip()
    const first = await open()
    first.of(id, companyRef)
    const name = path()
    await first.stop()
    symlinkSync('/dev/full', name)
    const buffers = await open()
    const descriptors = readdirSync('/proc/self/fd').length
    for (let attempt = 0; attempt < 20; attempt++) expect(() => buffers.of(id, companyRef)).to.throw()
    expect(readdirSync('/proc/self/fd').length).to.be.below(descriptors + 10)
    await buffers.stop()
  })

  it('Samples of a file that cannot be read for some time are sent later', async function () {
    if (process.platform !== 'linux') this.skip()
    const buffers = await open()
    const problems: string[] = []
    const buffer = buffers.of(id, companyRef)
    buffer.observe({ totals: newTotals(), onProblem: message => problems.push(message) })
    const delivery = new BufferedDelivery(buffer, Date.now)
    await delivery.deliver(samples(0, 1))
    const descriptor = descriptorOf(path())
    redirect(descriptor, folder, 'r')
    await eventually(() => problems.length > 0)
    expect([problems[0]?.slice(0, 6), buffer.read().oldestMs]).to.deep.equal(['EISDIR', null])
    redirect(descriptor, path(), 'a+')
    await delivery.drain()
    expect(log.values).to.deep.equal(['0'])
    await buffers.stop()
  })

  it('A crash leaves the notes of samples until they are forgotten, also of samples that were sent', async () => {
    const first = await open()
    const delivery = deliveryOf(first)
    for (const number of [1, 2, 3])
      await delivery.deliver(samples(number, number + 1), { number, text: `note ${number}` })
    await delivery.drain()
    const sent = readFileSync(path())
    await first.stop()
    const name = `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.buffer`
    writeFileSync(join(folder, name), sent)
    log = new TestLog()
    const second = await open()
    const buffer = second.of(id, companyRef)
    const notes = () => buffer.notes.map(({ number, text }) => [number, text])
    const kept = [1, 2, 3].map(number => [number, `note ${number}`])
    expect([notes(), buffer.read().samples]).to.deep.equal([kept, 3])
    await deliveryOf(second).deliver(samples(4, 5))
    await buffer.drain()
    expect(log.values).to.deep.equal(['1', '2', '3', '4'])
    buffer.forget(2)
    expect(notes()).to.deep.equal(kept.slice(2))
    const before = readFileSync(path()).length
    buffer.forget(7)
    expect([notes(), before > readFileSync(path()).length]).to.deep.equal([[], true])
    await second.stop()
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('A stop leaves the notes of sent samples whose position is not stored, and no sample is sent again', async () => {
    const first = await open()
    const delivery = deliveryOf(first)
    for (const number of [1, 2, 3])
      await delivery.deliver(samples(number, number + 1), { number, text: `note ${number}` })
    await delivery.drain()
    first.of(id, companyRef).forget(1)
    await first.stop()
    const second = await open()
    const buffer = second.of(id, companyRef)
    const kept = [2, 3].map(number => [number, `note ${number}`])
    expect(buffer.notes.map(({ number, text }) => [number, text])).to.deep.equal(kept)
    await deliveryOf(second).deliver(samples(4, 5))
    await buffer.drain()
    expect(log.values).to.deep.equal(['1', '2', '3', '4'])
    await second.stop()
    const third = await open()
    third.forgetNotes(each => each !== id)
    expect(third.of(id, companyRef).notes).to.have.length(2)
    third.forgetNotes(each => each === id)
    expect(third.of(id, companyRef).notes).to.deep.equal([])
    await third.stop()
    expect(readdirSync(folder)).to.deep.equal([])
  })

  it('A file that becomes smaller keeps its notes', async () => {
    const buffers = await open()
    const delivery = deliveryOf(buffers)
    const text = 'x'.repeat(1_000)
    const numbers = Array.from({ length: 40 }, (_, index) => index)
    for (const number of numbers)
      await delivery.deliver(samples(number * 100, number * 100 + 100, text), { number, text: '' })
    await delivery.drain()
    const buffer = buffers.of(id, companyRef)
    const full = readFileSync(path()).length
    buffer.forget(29)
    expect(readFileSync(path()).length).to.be.below(full / 2)
    await delivery.deliver(samples(4_000, 4_001, text), { number: 40, text: 'last' })
    await delivery.drain()
    expect(log.values).to.deep.equal(valuesOf(samples(0, 4_001, text)))
    const bytes = readFileSync(path())
    await buffers.stop()
    writeFileSync(join(folder, 'copy'), bytes)
    const copy = new BufferFile(join(folder, 'copy'), null)
    expect(copy.notes.map(({ number }) => number)).to.deep.equal([...numbers.slice(30), 40])
    copy.close()
  })

  it('A file in the format of a later version is rejected, and stays as it is', async () => {
    const name = `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.buffer`
    const later = join(folder, name)
    const file = new BufferFile(later, JSON.stringify({ format: 2, id, companyRef }))
    file.append({ json: Buffer.from('{}'), count: 1, isBody: false, atMs: 0 })
    file.close()
    const before = readFileSync(later)
    const buffers = await open()
    expect(() => buffers.of(id, companyRef)).to.throw(RangeError, 'has format 2, this version reads 1')
    await buffers.stop()
    expect(readFileSync(later)).to.deep.equal(before)
  })

  it('A file of another form does not affect the buffers', async () => {
    writeFileSync(join(folder, 'other.buffer'), 'text')
    const buffers = await open()
    await deliveryOf(buffers).deliver(samples(0, 1))
    await deliveryOf(buffers).drain()
    expect(log.values).to.deep.equal(['0'])
    await buffers.stop()
  })
})
