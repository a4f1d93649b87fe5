import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { EventEmitter, on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { openKafkaLog } from '../../log/kafka/kafka-log.ts'
import type { ProjectedMark, RecordEntry } from '../../schema/commands/command-log.ts'
import { topics } from '../../schema/topics.ts'
import type { ChildService } from '../support/child-service.ts'
import type { Broker } from '../support/kafka.ts'
import { useProcesses } from './processes.ts'

const writers = 20
const operators = Array.from({ length: 8 }, () => randomUUID())

/** A write that was sent, with a unique `name`. */
interface Write {
  readonly writer: number
  readonly name: string
  /** Id of the replaced operator; null: the write creates a downtime reason. */
  readonly operatorId: string | null
  /** The confirmed write; null: no response, or one without a confirmation. */
  readonly answered: { readonly id: string } | null
}

describe('concurrent writers of the same records in two processes', function () {
  const { broker, start } = useProcesses(2)

  it('Acknowledged writes are neither lost nor repeated when a process is killed, and the last one in the log applies', async () => {
    const services = [await start(), await start()]
    const writingUntil = new AbortController()
    const answers = new EventEmitter()
    let answered = 0
    const untilAnswered = async (count: number): Promise<void> => {
      for await (const _ of on(answers, 'answer')) if (answered >= count) return
    }
    const write = async (writer: number): Promise<readonly Write[]> => {
      const done: Write[] = []
      for (let n = 0; !writingUntil.signal.aborted; n++) {
        const one = await writeOnce(services[(writer + n) % 2], `${writer}/${n}`, writer)
        if (one.answered) answered++
        answers.emit('answer')
        done.push(one)
      }
      return done
    }
    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
    await untilAnswered(writers * 2)
    const [victim] = services
    if (!victim) throw new Error('A process is missing')
    await victim.kill()
    await sleep(1000)
    services[0] = await start()
    await untilAnswered(answered + writers * 3)
    writingUntil.abort()
    const writes = (await writing).flat()

    const entries = await readRecords(broker())
    expectAnsweredOnce(writes, entries)
    expectOrderKept(writes, entries)
    // A write is visible to its caller immediately and to the other process within moments.
    const last = lastNames(entries)
    for (const { call } of services) {
      const untilMs = Date.now() + 60_000
      while (!isDeepStrictEqual(await namesIn(call), last) && Date.now() < untilMs) await sleep(100)
      expect(await namesIn(call)).to.deep.equal(last)
    }
    // Both processes must have acknowledged writes, and the kill must have interrupted some; otherwise the test proves
    // nothing.
    expect(writes.filter(({ answered }) => answered).length).to.be.greaterThan(writers * 4)
    expect(writes.filter(({ answered }) => !answered).length).to.be.greaterThan(0)
  })
})

/** Sends a write: every second one replaces a shared record, the others create a new one. */
async function writeOnce(service: ChildService | undefined, name: string, writer: number): Promise<Write> {
  const operatorId = Math.random() < 0.5 ? (operators[Math.floor(Math.random() * operators.length)] ?? null) : null
  const answer = await (
    operatorId === null
      ? service?.call('POST', '/downtime-reasons', { name, color: '#ff0000' })
      : service?.call('PUT', `/operators/${operatorId}`, { name })
  )?.catch(() => null)
  if (answer?.status !== 200) await sleep(20)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the routes answer
  const answered = answer?.status === 200 ? (answer.body as { readonly id: string | number }) : null
  return { writer, name, operatorId, answered: answered && { id: String(answered.id) } }
}

/** Reads the topic of records from its start, without the service. */
async function readRecords({ brokers }: Broker): Promise<readonly RecordEntry[]> {
  const log = await openKafkaLog({ brokers, clientId: `auditor-${randomUUID()}` })
  const entries: RecordEntry[] = []
  try {
    const follower = await log.follow({
      topic: topics.records,
      from: 'earliest',
      onBatch: ({ records }) => {
        for (const { value } of records) {
          const read: RecordEntry | ProjectedMark = JSON.parse(value.toString())
          if ('changes' in read) entries.push(read)
        }
      },
    })
    await follower.caughtUp
    await follower.stop()
  } finally {
    await log.close()
  }
  const seen = new Set<number>()
  return entries.filter(({ commandOffset }) => !seen.has(commandOffset) && seen.add(commandOffset))
}

/** Returns the written names in the order of the log. */
function namesOf(entries: readonly RecordEntry[]): readonly { readonly id: string; readonly name: string }[] {
  return entries.flatMap(({ changes }) =>
    changes.flatMap(({ kind, id, after }) =>
      (kind === 'operator' || kind === 'downtimeReason') && after ? [{ id, name: after.name }] : [],
    ),
  )
}

function expectAnsweredOnce(writes: readonly Write[], entries: readonly RecordEntry[]): void {
  const told = namesOf(entries)
  const names = told.map(({ name }) => name)
  expect(new Set(names).size, 'distinct names in the log').to.equal(names.length)
  const idOf = new Map(told.map(({ name, id }) => [name, id]))
  for (const { name, answered } of writes) if (answered) expect(idOf.get(name), name).to.equal(answered.id)
  const sent = new Set(writes.map(({ name }) => name))
  expect(names.filter(name => !sent.has(name))).to.deep.equal([])
}

/** Asserts that a write that was acknowledged before the next write of its writer precedes that one in the log. */
function expectOrderKept(writes: readonly Write[], entries: readonly RecordEntry[]): void {
  const placeOf = new Map(namesOf(entries).map(({ name }, place) => [name, place]))
  const last = new Map<number, number>()
  for (const { writer, name, answered } of writes) {
    if (!answered) continue
    const place = placeOf.get(name) ?? -1
    expect(place, name).to.be.greaterThan(last.get(writer) ?? -1)
    last.set(writer, place)
  }
}

function lastNames(entries: readonly RecordEntry[]): Readonly<Record<string, string>> {
  return Object.fromEntries(namesOf(entries).map(({ id, name }) => [id, name]))
}

/** Requests the names of all operators and downtime reasons from a process, by id. */
async function namesIn(call: ChildService['call']): Promise<Readonly<Record<string, string>>> {
  const lists = await Promise.all([call('GET', '/operators'), call('GET', '/downtime-reasons')])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the routes answer
  const items = lists.flatMap(({ body }) => body as { readonly id: string | number; readonly name: string }[])
  return Object.fromEntries(items.map(({ id, name }) => [String(id), name]))
}
