import { expect } from 'chai'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { EntryReader } from '../../../processors/records/entry-codec.ts'
import { followRecords } from '../../../processors/records/follow.ts'
import { Records } from '../../../processors/records/records.ts'
import { type CommandClient, createCommandClient } from '../../../processors/registrar/client.ts'
import type { RegistrarOptions } from '../../../processors/registrar/options.ts'
import { createRegistrarRole } from '../../../processors/registrar/role.ts'
import { ApiError } from '../../../schema/errors.ts'
import { type Follower, type Log, LogUnavailable, type Transactor } from '../../../log/log.ts'
import {
  type Command,
  type ProjectedPosition,
  type RecordEntry,
  resultOrThrow,
} from '../../../schema/commands/command-log.ts'
import { groups, topics } from '../../../schema/topics.ts'
import { naiveRegistrarHistory } from '../../support/naive-uses.ts'
import { storedChanges } from '../../support/stored-changes.ts'

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
const patient = { companyId: null, timeoutMs: 20_000 }

const markOf = (key: string, body = 'body') => ({ key: sha256(key), body: sha256(body) })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Entries that were projected at once. */
interface Projected {
  readonly entries: readonly RecordEntry[]
  readonly position: ProjectedPosition
}

const changesOf = (projected: readonly Projected[]) =>
  projected.flatMap(({ entries }) => entries.flatMap(({ changes }) => changes))
const offsetsOf = (projected: readonly Projected[]) =>
  projected.flatMap(({ entries }) => entries.map(({ commandOffset }) => commandOffset))

describe('registrar role', () => {
  let path: string
  let log: Log
  let records: Records
  let client: CommandClient
  const stops: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'takt-registrar-'))
    log = await openEmbeddedLog({ path })
    await log.createTopics([
      { name: topics.commands, partitions: 1, retentionMs: null },
      { name: topics.records, partitions: 1, retentionMs: null },
    ])
    records = new Records()
    const follower: Follower = await followRecords(log, records)
    client = createCommandClient({ log, records, actor: 'test' })
    stops.push(() => follower.stop())
  })

  afterEach(async () => {
    client.close()
    for (const stop of stops.splice(0).reverse()) await stop()
    await log.close()
    await rm(path, { recursive: true })
  })

  function start(options: Partial<RegistrarOptions> = {}): { stop(): Promise<void> } {
    const role = createRegistrarRole({
      log,
      logger,
      history: naiveRegistrarHistory(records),
      backOffMs: 5,
      ...options,
    })
    const running = role.run()
    stops.push(() => role.stop().then(() => running))
    return role
  }

  /** Projects into an array, from which a later registrar continues. */
  function projectInto(
    projected: Projected[],
    isAway = () => false,
  ): Required<Pick<RegistrarOptions, 'project' | 'stored'>> {
    const stored = () => storedChanges(changesOf(projected), projected.at(-1)?.position ?? null)
    return {
      project: async (entries, _, position) => {
        if (isAway()) throw new Error('the store is unavailable')
        projected.push({ entries, position })
      },
      stored: {
        readPosition: () => stored().readPosition(),
        readRecords: onPage => stored().readRecords(onPage),
        readDeletedRecords: () => stored().readDeletedRecords(),
      },
    }
  }

  async function firstCompany(): Promise<string> {
    resultOrThrow(await client.submit('installation.start', {}, patient))
    const company = records.companies()[0]
    if (!company) throw new Error('the company is missing')
    return company.id
  }

  /** All entries of records.v1. */
  async function written(): Promise<RecordEntry[]> {
    const entries: RecordEntry[] = []
    const reader = new EntryReader()
    const follower = await log.follow({
      topic: topics.records,
      from: 'earliest',
      onBatch: batch => void entries.push(...batch.records.flatMap(({ value }) => reader.read(value) ?? [])),
    })
    await follower.caughtUp
    await follower.stop()
    return entries
  }

  /** The log, with transactors that commit by the given function. */
  function withCommits(
    commit: (inner: Transactor, ...args: Parameters<Transactor['commit']>) => ReturnType<Transactor['commit']>,
  ): Log {
    const transactor: Log['transactor'] = async (id, scope) => {
      const inner = await log.transactor(id, scope)
      return { commit: (...args) => commit(inner, ...args), close: () => inner.close() }
    }
    return new Proxy(log, {
      get(target, property) {
        if (property === 'transactor') return transactor
        const value: unknown = Reflect.get(target, property)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  async function putReasons(companyId: string, count: number): Promise<void> {
    const put = async (name: string) =>
      resultOrThrow(await client.submit('downtimeReason.put', { name }, { companyId, timeoutMs: 20_000 }))
    await Promise.all(Array.from({ length: count }, (_, index) => put(`R${index}`)))
  }

  it("After a command's response, the records contain its change", async () => {
    start()
    const companyId = await firstCompany()
    const id = randomUUID()
    const made = await client.submit('machine.put', { id, name: 'Mill' }, { ...patient, companyId })
    expect(made).to.deep.equal({ ok: true, result: records.machine(id) })
    await putReasons(companyId, 300)
    const reasons = records.list('downtimeReason', companyId)
    expect(new Set(reasons.map(reason => reason.id)).size).to.equal(300)
  })

  it('Rejections of commands reach the caller unchanged', async () => {
    start()
    const companyId = await firstCompany()
    const outcome = await client.submit('machine.put', { id: 'x', name: ' ' }, { ...patient, companyId })
    if (outcome.ok) throw new Error('the machine was created')
    expect(outcome.error).to.include({ status: 400, code: 'ValidationError' })
    expect(outcome.error.errors.map(({ field }) => field)).to.have.members(['name', 'id'])
    expect(() => resultOrThrow(outcome))
      .to.throw(ApiError, 'Validation Error')
      .with.property('status', 400)
  })

  it('A command fails with 503 while no registrar runs', async () => {
    const error = await rejection(client.submit('installation.start', {}, { companyId: null, timeoutMs: 20 }))
    expect(error).to.include({ status: 503, retryAfterS: 2 })
    expect(error.message).to.match(/not confirmed in time.*safe to repeat with the same key/)
    const keyed = client.submit('installation.start', {}, { companyId: null, timeoutMs: 20, repeat: markOf('k') })
    expect((await rejection(keyed)).message).to.match(/Repeating it with the same Idempotency-Key is safe/)
  })

  describe('request repeated with its Idempotency-Key', () => {
    const ask = (companyId: string, key: string, { name = 'Jam', by = client, timeoutMs = 20_000 } = {}) =>
      by.submit('downtimeReason.put', { name }, { companyId, timeoutMs, repeat: markOf(key, name) })
    const submit = async (...asked: Parameters<typeof ask>) => resultOrThrow(await ask(...asked))
    const reasons = (companyId: string) => records.list('downtimeReason', companyId).map(({ name }) => name)

    it('A repeated request gets the first outcome, also after restarts of the registrar', async () => {
      const first = start()
      const companyId = await firstCompany()
      const made = await submit(companyId, 'k')
      expect(await submit(companyId, 'k')).to.deep.equal(made)
      resultOrThrow(await client.submit('downtimeReason.delete', { id: 1 }, { companyId }))
      await first.stop()
      start()
      expect(await submit(companyId, 'k')).to.deep.equal(made)
      expect(await ask(companyId, 'k', { name: 'Tool' })).to.have.nested.property('error.status', 409)
      expect(reasons(companyId)).to.deep.equal([])
    })

    it('Concurrent requests with one key are executed once, across processes', async () => {
      start()
      start()
      const companyId = await firstCompany()
      const others = new Records()
      const follower = await followRecords(log, others)
      const other = createCommandClient({ log, records: others, actor: 'other' })
      const sent = Array.from({ length: 20 }, (_, n) => submit(companyId, 'k', { by: n % 2 === 0 ? client : other }))
      const made = await Promise.all(sent)
      for (const each of made) expect(each).to.deep.equal(made[0])
      expect(reasons(companyId)).to.deep.equal(['Jam'])
      other.close()
      await follower.stop()
    })

    it('A repeated request gets the first outcome although the first was not confirmed in time', async () => {
      const first = start()
      const companyId = await firstCompany()
      await first.stop()
      expect(await rejection(submit(companyId, 'k', { timeoutMs: 200 }))).to.include({ status: 503 })
      start()
      expect(await submit(companyId, 'k')).to.include({ id: 1, name: 'Jam' })
      expect(reasons(companyId)).to.deep.equal(['Jam'])
      const outcomes = (await written()).filter(({ command }) => command.repeat).map(({ outcome }) => outcome)
      expect(outcomes).to.have.length(2)
      expect(outcomes[1]).to.deep.equal(outcomes[0])
    })
  })

  it('A command fails with 503 while the log is unavailable', async () => {
    const down = { ...log, append: async () => Promise.reject(new LogUnavailable('disk full')) }
    const other = createCommandClient({ log: down, records, actor: 'test' })
    expect(await rejection(other.submit('installation.start', {}, patient))).to.include({ status: 503 })
    other.close()
  })

  it('After a restart, the registrar continues to number ids where it stopped', async () => {
    const first = start()
    const companyId = await firstCompany()
    await putReasons(companyId, 3)
    await first.stop()
    start()
    await putReasons(companyId, 3)
    expect(records.list('downtimeReason', companyId).map(({ id }) => id)).to.have.members([1, 2, 3, 4, 5, 6])
  })

  for (const [when, order] of [
    ['before the transaction', 'lost'],
    ['after the transaction, before it knows', 'done'],
  ] as const)
    it(`Commands are executed exactly once when the registrar crashes ${when}`, async () => {
      let commits = 0
      const failing = withCommits(async (inner, ...args) => {
        const isLost = ++commits % 2 === 1
        if (isLost && order === 'lost') throw new LogUnavailable('gone')
        const positions = await inner.commit(...args)
        if (isLost) throw new LogUnavailable('gone')
        return positions
      })
      start({ log: failing })
      const companyId = await firstCompany()
      for (let round = 0; round < 5; round++) await putReasons(companyId, 4)
      const entries = await written()
      expect(entries).to.have.length(21)
      expect(new Set(entries.map(({ commandOffset }) => commandOffset)).size).to.equal(21)
      expect(new Set(entries.map(({ command }) => command.id)).size).to.equal(21)
      expect(records.list('downtimeReason', companyId)).to.have.length(20)
      expect(commits).to.be.greaterThan(5)
    })

  it('A fenced registrar joins again and continues', async () => {
    start()
    const companyId = await firstCompany()
    const usurper = await log.transactor('takt-registrar', { topics: [topics.records], group: groups.registrar })
    await putReasons(companyId, 2)
    await usurper.close()
    expect(await written()).to.have.length(3)
  })

  it('A second registrar takes over without losing or repeating a command', async () => {
    const first = start()
    start()
    const companyId = await firstCompany()
    await Promise.all([putReasons(companyId, 50), first.stop()])
    await putReasons(companyId, 10)
    expect(await written()).to.have.length(61)
    expect(records.list('downtimeReason', companyId)).to.have.length(60)
  })

  it('A change is committed, then projected, then answered; a failed projection is retried', async () => {
    const projected: number[] = []
    const isCommitted: boolean[] = []
    let failures = 3
    start({
      async project(entries) {
        if (failures-- > 0) throw new Error('the store is unavailable')
        const offsets = new Set((await written()).map(({ commandOffset }) => commandOffset))
        isCommitted.push(...entries.map(({ commandOffset }) => offsets.has(commandOffset)))
        await setTimeout(5)
        projected.push(...entries.map(({ commandOffset }) => commandOffset))
      },
    })
    const companyId = await firstCompany()
    expect(projected).to.have.length(1)
    for (let count = 2; count < 7; count++) {
      resultOrThrow(await client.submit('downtimeReason.put', { name: `R${count}` }, { companyId }))
      expect(projected).to.have.length(count)
    }
    expect(isCommitted).to.deep.equal(Array.from({ length: 6 }, () => true))
  })

  it('A listener of an entry is called after its projection', async () => {
    const projected = new Set<number>()
    const isProjected: boolean[] = []
    records.onEntry(({ commandOffset }) => isProjected.push(projected.has(commandOffset)))
    start({
      async project(entries) {
        await setTimeout(5)
        for (const { commandOffset } of entries) projected.add(commandOffset)
      },
    })
    const companyId = await firstCompany()
    await putReasons(companyId, 20)
    expect(isProjected).to.deep.equal(Array.from({ length: 21 }, () => true))
  })

  it('While the projection fails, no further command is decided', async () => {
    let isAway = false
    const projected: number[] = []
    start({
      async project(entries) {
        if (isAway) throw new Error('the store is unavailable')
        projected.push(...entries.map(({ commandOffset }) => commandOffset))
      },
    })
    const companyId = await firstCompany()
    isAway = true
    const put = (name: string, timeoutMs: number) =>
      client.submit('downtimeReason.put', { name }, { companyId, timeoutMs, repeat: markOf(name, name) })
    const first = rejection(put('A', 300))
    while ((await written()).length < 2) await setTimeout(5)
    expect(await rejection(put('B', 100))).to.include({ status: 503 })
    expect(await first).to.include({ status: 503 })
    expect(await written()).to.have.length(2)
    isAway = false
    resultOrThrow(await put('A', 20_000))
    expect(records.list('downtimeReason', companyId).map(({ name }) => name)).to.deep.equal(['A', 'B'])
    expect(projected).to.deep.equal((await written()).map(({ commandOffset }) => commandOffset))
  })

  it('A change whose registrar stopped between commit and projection is projected and answered by the next one', async () => {
    const projected: Projected[] = []
    let isAway = false
    const first = start(projectInto(projected, () => isAway))
    const companyId = await firstCompany()
    isAway = true
    const answered = client.submit('downtimeReason.put', { name: 'Jam' }, { companyId, timeoutMs: 20_000 })
    while ((await written()).length < 2) await setTimeout(5)
    await first.stop()
    isAway = false
    start(projectInto(projected))
    expect(resultOrThrow(await answered)).to.include({ name: 'Jam' })
    const offsets = (await written()).map(({ commandOffset }) => commandOffset)
    expect(offsets).to.have.length(2)
    expect(offsetsOf(projected)).to.deep.equal(offsets)
    expect(records.list('downtimeReason', companyId)).to.have.length(1)
  })

  it('After a restart, the registrar continues from the projection and projects the entries that it lacks', async () => {
    const projected: Projected[] = []
    const first = start(projectInto(projected))
    const companyId = await firstCompany()
    await putReasons(companyId, 3)
    await first.stop()
    projected.pop()
    const second = start(projectInto(projected))
    await putReasons(companyId, 1)
    await second.stop()
    expect(offsetsOf(projected)).to.deep.equal((await written()).map(({ commandOffset }) => commandOffset))
    expect(records.list('downtimeReason', companyId).map(({ id }) => id)).to.deep.equal([1, 2, 3, 4])
  })

  it('A registrar that continues from the projection answers a repeated request with its first outcome', async () => {
    const projected: Projected[] = []
    const first = start(projectInto(projected))
    const companyId = await firstCompany()
    const put = (name: string) =>
      client.submit('downtimeReason.put', { name }, { ...patient, companyId, repeat: markOf('A', name) })
    const outcome = await put('Jam')
    await putReasons(companyId, 2)
    await first.stop()
    start(projectInto(projected))
    expect(await put('Jam')).to.deep.equal(outcome)
    expect(await put('Other')).to.have.nested.include({ 'error.code': 'IdempotencyKeyReused' })
  })

  it('A deletion is rejected because of a record that an earlier command of the same batch creates', async () => {
    const role = start()
    const companyId = await firstCompany()
    const machineId = randomUUID()
    resultOrThrow(await client.submit('machine.put', { id: machineId, name: 'Mill' }, { ...patient, companyId }))
    await putReasons(companyId, 1)
    await role.stop()
    const annotation = { id: randomUUID(), machineId, reasonId: 1, startAt: '2026-03-02T08:00:00.000Z' }
    const created = client.submit('annotation.put', annotation, { ...patient, companyId })
    const deleted = client.submit('downtimeReason.delete', { id: 1 }, { ...patient, companyId })
    while (((await log.endOffsets(topics.commands))[0] ?? 0) < 5) await setTimeout(5)
    start()
    expect(await created).to.include({ ok: true })
    expect(await deleted).to.have.nested.include({ 'error.code': 'InUse' })
  })

  it('Commands that create no log entry run in batches before their offset is committed, and run again after a crash', async () => {
    const done: string[][] = []
    let failures = 2
    let commits = 0
    const failing = withCommits(async (inner, ...args) => {
      if (++commits === 2) throw new LogUnavailable('gone')
      return inner.commit(...args)
    })
    const note = async (commands: readonly Command[]): Promise<void> => {
      if (failures-- > 0) throw new Error('the store is unavailable')
      done.push(commands.map(({ payload }) => String(payload)))
    }
    let made = 0
    const effects = () => {
      made++
      return new Map([['note', note]])
    }
    const running = start({ log: failing, effects })
    await firstCompany()
    const value = (payload: string) =>
      Buffer.from(
        JSON.stringify({
          id: randomUUID(),
          deadlineMs: 0,
          nowMs: 0,
          freshIds: [],
          companyId: null,
          actor: 'a',
          name: 'note',
          payload,
        }),
      )
    const appended = ['x', 'y'].map(payload => ({ key: null, value: value(payload), partition: 0 }))
    const positions = await log.append(topics.commands, appended)
    const last = positions.at(-1)?.offset ?? -1
    while (((await log.committed(groups.registrar, topics.commands))[0] ?? 0) <= last) await setTimeout(5)
    expect(done).to.deep.equal([
      ['x', 'y'],
      ['x', 'y'],
    ])
    expect(made).to.equal(2)
    expect(await written()).to.have.length(1)
    await running.stop()
  })

  it('Unreadable commands are skipped', async () => {
    start()
    for (const text of [
      '{',
      'null',
      '{"id":"x"}',
      '{"id":"x","deadlineMs":1,"nowMs":1e300,"freshIds":[],"companyId":null,"actor":"a","name":"n"}',
    ])
      await log.append(topics.commands, [{ key: null, value: Buffer.from(text), partition: 0 }])
    const companyId = await firstCompany()
    expect(records.company(companyId)?.ref).to.equal(1)
  })

  it('A change that the log cannot store is rejected, and later commands succeed', async () => {
    start()
    const companyId = await firstCompany()
    const versions = Array.from({ length: 250 }, (_, index) => ({
      effectiveFrom: new Date(index * 86_400_000).toISOString().slice(0, 10),
      shifts: Array.from({ length: 20 }, (_, at) => ({
        id: `${'€'.repeat(197)}${at}`,
        name: `${'€'.repeat(190)}${at}`,
        days: [1],
        start: `${String(at).padStart(2, '0')}:00`,
        end: `${String(at + 1).padStart(2, '0')}:00`,
      })),
    }))
    const put = client.submit('schedule.put', { id: 's', name: 'S', versions }, { companyId, timeoutMs: 20_000 })
    expect(await put)
      .to.have.property('error')
      .that.includes({ status: 400, code: 'TooLarge' })
    await putReasons(companyId, 1)
  })

  describe('command and entry larger than a record of the log', () => {
    const size = 3_000
    const jobs = (quantityRequired: number) =>
      Array.from({ length: 30 }, (_, part) => ({
        jobs: Array.from({ length: size / 30 }, (_, index) => ({
          row: index,
          jobName: `J${part}-${index}`,
          lotName: '',
          description: 'x'.repeat(4_000),
          operationName: '',
          partName: '',
          quantityRequired,
        })),
      }))
    const submit = async (companyId: string, quantity: number) =>
      resultOrThrow(await client.submit('jobImport.apply', jobs(quantity), { companyId, timeoutMs: 30_000 }))

    it('A chunked command takes effect atomically: readers see all of it or nothing', async () => {
      start()
      const companyId = await firstCompany()
      const seen = new Set<number>()
      const watching = setInterval(() => seen.add(records.list('jobOperation', companyId).length))
      expect(await submit(companyId, 1)).to.deep.equal({ created: size, changed: 0, archived: 0 })
      expect(await submit(companyId, 2)).to.deep.equal({ created: 0, changed: size, archived: 0 })
      clearInterval(watching)
      expect([...seen].every(count => count === 0 || count === size)).to.equal(true)
      const entries = await written()
      expect(entries.map(({ changes }) => changes.length)).to.deep.equal([1, size, size])
      expect(entries.at(-1)?.changes[7]).to.deep.include({ kind: 'jobOperation' })
      await putReasons(companyId, 1)
    })

    it('A chunked command is executed once when the registrar crashes between other commands', async () => {
      let commits = 0
      start({
        log: withCommits(async (inner, ...args) => {
          const crash = ++commits
          if (crash % 3 === 2) throw new LogUnavailable('gone')
          const positions = await inner.commit(...args)
          if (crash % 3 === 0) throw new LogUnavailable('gone')
          return positions
        }),
      })
      const companyId = await firstCompany()
      const [result] = await Promise.all([submit(companyId, 1), putReasons(companyId, 20)])
      expect(result).to.deep.equal({ created: size, changed: 0, archived: 0 })
      expect(records.list('jobOperation', companyId)).to.have.length(size)
      expect(records.list('downtimeReason', companyId)).to.have.length(20)
      const refs = new Set(records.list('jobOperation', companyId).map(({ ref }) => ref))
      expect(refs.size).to.equal(size)
    })

    it('Interleaved chunks of commands are joined, and a restarted registrar reads an incomplete command from its first chunk', async () => {
      const first = start()
      const companyId = await firstCompany()
      const nowMs = Date.now()
      const command = { id: randomUUID(), deadlineMs: nowMs + 60_000, nowMs, freshIds: [], companyId, actor: 'test' }
      const chunk = (index: number) => ({
        key: null,
        partition: 0,
        value: Buffer.from(
          JSON.stringify({
            ...command,
            name: 'jobImport.apply',
            payload: { jobs: [{ row: index, jobName: `J${index}`, lotName: '', operationName: '', partName: '' }] },
            chunk: { index, count: 3 },
          }),
        ),
      })
      await log.append(topics.commands, [chunk(0)])
      await putReasons(companyId, 3)
      await log.append(topics.commands, [chunk(1)])
      await first.stop()
      start()
      await putReasons(companyId, 3)
      expect(records.list('jobOperation', companyId)).to.have.length(0)
      await log.append(topics.commands, [chunk(2)])
      await putReasons(companyId, 1)
      expect(records.list('jobOperation', companyId).map(({ jobName }) => jobName)).to.have.members(['J0', 'J1', 'J2'])
      expect(records.list('downtimeReason', companyId)).to.have.length(7)
    })
  })

  it('A command that was appended twice is executed once', async () => {
    start()
    const companyId = await firstCompany()
    const nowMs = Date.now()
    const command = {
      id: randomUUID(),
      deadlineMs: nowMs + 60_000,
      nowMs,
      freshIds: [],
      companyId,
      actor: 'test',
      name: 'downtimeReason.put',
      payload: { name: 'R' },
    }
    const value = Buffer.from(JSON.stringify(command))
    await log.append(topics.commands, [
      { key: null, value },
      { key: null, value },
    ])
    await putReasons(companyId, 1)
    expect(records.list('downtimeReason', companyId)).to.have.length(2)
  })
})

async function rejection(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('the command was not rejected')
}
