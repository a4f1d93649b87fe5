import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { OwnershipHandlers, PartitionOwnership, PositionsLog } from '../../../connect/positions/owned-partition.ts'
import { ownPositions } from '../../../connect/positions/own-positions.ts'
import {
  NewerPositions,
  partitionOfPosition,
  Position,
  positionId,
  positionsTopic,
} from '../../../connect/positions/position.ts'
import { Fenced, LogUnavailable, type Log } from '../../../log/log.ts'
import { pause } from '../../../shared/async/waiting.ts'
import { eventually } from '../../log/fixture.ts'

/** A process that owns partitions, and what it was told. */
async function startOwner(
  log: PositionsLog,
  onLost: (ownership: PartitionOwnership) => Promise<void> | void = () => undefined,
  options: { readonly releaseWithinMs?: number } = {},
) {
  const owned = new Map<number, PartitionOwnership>()
  const problems: unknown[] = []
  let takeovers = 0
  const handlers: OwnershipHandlers = {
    onOwned: ownership => {
      takeovers++
      owned.set(ownership.partition, ownership)
    },
    onLost: async partition => {
      const ownership = owned.get(partition)
      if (ownership) await onLost(ownership)
      owned.delete(partition)
    },
    onProblem: (_, error) => problems.push(error),
  }
  const owner = await ownPositions(log, handlers, options)
  return { owned, problems, takeovers: () => takeovers, stop: () => owner.stop() }
}

/** A log whose commits fail as the test decides: before or after the records are stored. */
function unreliable(log: Log, fails: () => 'before' | 'after' | null): PositionsLog {
  return {
    kind: log.kind,
    consume: options => log.consume(options),
    follow: options => log.follow(options),
    transactor: async (name, scope) => {
      const transactor = await log.transactor(name, scope)
      return {
        close: () => transactor.close(),
        commit: async (records, input) => {
          const failure = fails()
          const positions = failure === 'before' ? [] : await transactor.commit(records, input)
          if (failure !== null) throw new LogUnavailable('No response')
          return positions
        },
      }
    },
  }
}

/** Returns the id of a position of a partition. */
function idIn(partition: number): string {
  for (let number = 0; ; number++) {
    const id = positionId('company', `mill ${number}`)
    if (partitionOfPosition(id) === partition) return id
  }
}

/** Describes the ownership of positions on a log; `open` opens it as another process does. */
export function describeOwnership(open: () => Promise<Log>): void {
  const id = positionId('company', 'lathes')
  const partition = partitionOfPosition(id)
  let log: Log
  before(async () => {
    log = await open()
    await log.createTopics([positionsTopic])
  })

  it('An owner reads the positions that the previous owner has written, and a deleted position is gone', async () => {
    const first = await startOwner(log)
    await eventually(() => first.owned.size === positionsTopic.partitions)
    const position = new Position(id)
    position.head = { next: 7 }
    for (let key = 0; key < 600; key++) position.state.set(`${key}`, key)
    await first.owned.get(partition)?.write(position.takeChanges())
    position.head = { next: 8 }
    position.state.set('3', 'changed')
    await first.owned.get(partition)?.write(position.takeChanges())
    const ownership = first.owned.get(partition)
    await first.stop()
    expect(first.owned.size).to.equal(0)
    const late = ownership?.write(position.takeChanges()).catch((error: unknown) => error)
    expect(await late, 'write after the stop').to.be.instanceOf(Fenced)

    const second = await startOwner(await open())
    await eventually(() => second.owned.size === positionsTopic.partitions)
    const read = second.owned.get(partition)?.positions.get(id)
    expect([read?.head, read?.state.get('3'), read?.state.get('599')]).to.deep.equal([{ next: 8 }, 'changed', 599])
    await second.owned.get(partition)?.write(read?.deletion() ?? [])
    await second.stop()

    const third = await startOwner(log)
    await eventually(() => third.owned.size === positionsTopic.partitions)
    expect([...(third.owned.get(partition)?.positions.keys() ?? [])]).to.deep.equal([])
    await third.stop()
  })

  it('A partition with positions of a later version is not owned: attempts pause longer and longer, and the others are owned', async () => {
    const head = (value: Buffer) => log.append(positionsTopic.name, [{ key: `${id}/head`, value, partition }])
    await head(Buffer.from('{"format":2,"kind":"mqtt","head":{}}'))
    const startedMs = performance.now()
    const owner = await startOwner(log)
    await eventually(() => owner.problems.length >= 5 && owner.owned.size === positionsTopic.partitions - 1)
    // 50, 100, 200 and 400 ms; each timer may fire a millisecond early.
    expect(performance.now() - startedMs).to.be.at.least(740)
    expect(owner.owned.has(partition)).to.equal(false)
    expect(new Set(owner.problems.map(error => error instanceof NewerPositions))).to.deep.equal(new Set([true]))
    await head(Buffer.alloc(0))
    await eventually(() => owner.owned.has(partition))
    await owner.stop()
  })

  it('A position of several megabytes is written and read', async () => {
    const first = await startOwner(log)
    await eventually(() => first.owned.size === positionsTopic.partitions)
    const position = new Position(id)
    for (let key = 0; key < 60; key++) position.state.set(`${key}`, randomBytes(45_000).toString('base64'))
    await first.owned.get(partition)?.write(position.takeChanges())
    await first.stop()
    const second = await startOwner(await open())
    await eventually(() => second.owned.size === positionsTopic.partitions)
    const read = second.owned.get(partition)?.positions.get(id)
    expect(new Map(read?.state.entries() ?? [])).to.deep.equal(new Map(position.state.entries()))
    await second.owned.get(partition)?.write(position.deletion())
    await second.stop()
  })

  it('Two owners share the partitions, and the one that remains takes all', async () => {
    const first = await startOwner(log)
    const second = await startOwner(await open())
    const half = positionsTopic.partitions / 2
    await eventually(() => first.owned.size === half && second.owned.size === half)
    expect(new Set([...first.owned.keys(), ...second.owned.keys()]).size).to.equal(positionsTopic.partitions)
    await first.stop()
    await eventually(() => second.owned.size === positionsTopic.partitions)
    await second.stop()
  })

  it('A process that joins begins with the positions that the previous owner stores while it stops', async () => {
    const stored = new Set<number>()
    let isJoining = true
    const storeLast = async ({ partition: lost, write }: PartitionOwnership) => {
      if (!isJoining) return
      await pause(300)
      const position = new Position(idIn(lost))
      position.head = { next: 9 }
      await write(position.takeChanges())
      stored.add(lost)
    }
    const first = await startOwner(log, storeLast)
    await eventually(() => first.owned.size === positionsTopic.partitions)
    // On a busy machine, eight partitions need longer than a process normally waits.
    const second = await startOwner(await open(), undefined, { releaseWithinMs: 120_000 })
    await eventually(() => second.owned.size === positionsTopic.partitions / 2)
    for (const [lost, { positions }] of second.owned)
      expect([stored.has(lost), positions.get(idIn(lost))?.head]).to.deep.equal([true, { next: 9 }])
    isJoining = false
    await second.stop()
    await eventually(() => first.owned.size === positionsTopic.partitions)
    for (const [own, { write }] of first.owned) await write(new Position(idIn(own)).deletion())
    await first.stop()
    expect(first.problems).to.deep.equal([])
  })

  for (const outcome of ['before', 'after'] as const)
    it(`A write that fails ${outcome} its records are stored is repeated before later ones, without a new owner`, async () => {
      const failures: (typeof outcome)[] = []
      const owner = await startOwner(unreliable(log, () => failures.shift() ?? null))
      await eventually(() => owner.owned.size === positionsTopic.partitions)
      const position = new Position(id)
      const change = (next: number) => {
        position.head = { next }
        if (next < 3) position.state.set('of', next)
        return position.takeChanges()
      }
      const ownership = owner.owned.get(partition)
      await ownership?.write(change(1))
      const taken = owner.takeovers()
      failures.push(outcome, outcome)
      await Promise.all([2, 3].map(async next => ownership?.write(change(next))))
      expect([owner.takeovers() - taken, owner.problems.map(String)]).to.deep.equal([
        0,
        ['LogUnavailable: No response', 'LogUnavailable: No response'],
      ])
      await owner.stop()
      const next = await startOwner(await open())
      await eventually(() => next.owned.size === positionsTopic.partitions)
      const stored = next.owned.get(partition)?.positions.get(id)
      expect([stored?.head, stored?.state.get('of')]).to.deep.equal([{ next: 3 }, 2])
      await next.owned.get(partition)?.write(position.deletion())
      await next.stop()
    })

  it('A write that fails while the partition is revoked is rejected, and so are later ones', async () => {
    let isFailing = false
    const late: unknown[] = []
    const position = new Position(id)
    const owner = await startOwner(
      unreliable(log, () => (isFailing ? 'before' : null)),
      async ({ write, partition: lost }) => {
        if (lost !== partition) return
        for (const next of [1, 2]) {
          position.head = { next }
          await write(position.takeChanges()).catch((error: unknown) => late.push(error))
        }
      },
    )
    await eventually(() => owner.owned.size === positionsTopic.partitions)
    isFailing = true
    const before = owner.owned
      .get(partition)
      ?.write(position.takeChanges())
      .catch((error: unknown) => error)
    await eventually(() => owner.problems.length > 0)
    await owner.stop()
    expect(await before).to.be.instanceOf(LogUnavailable)
    expect(late.map(error => error instanceof Fenced)).to.deep.equal([true, true])
  })

  it('An owner repeats a write after unexpected errors of the log, and reports them', async () => {
    const failures: Error[] = []
    const throwNext = () => {
      const failure = failures.shift()
      if (failure) throw failure
    }
    const failing: PositionsLog = {
      ...unreliable(log, () => null),
      follow: options => {
        throwNext()
        return log.follow(options)
      },
      transactor: async (name, scope) => {
        const transactor = await log.transactor(name, scope)
        return {
          commit: async (...args) => {
            throwNext()
            return transactor.commit(...args)
          },
          close: async () => {
            await transactor.close()
            throwNext()
          },
        }
      },
    }
    const owner = await startOwner(failing)
    await eventually(() => owner.owned.size === positionsTopic.partitions)
    const taken = owner.takeovers()
    const errors = ['commit', 'close', 'follow', 'close'].map(name => new TypeError(name))
    failures.push(...errors)
    const position = new Position(id)
    await owner.owned.get(partition)?.write(position.takeChanges())
    expect([owner.problems, owner.takeovers()]).to.deep.equal([errors, taken])
    await owner.owned.get(partition)?.write(position.deletion())
    await owner.stop()
  })

  it('An owner whose write has failed does not replace the positions of a newer owner', async () => {
    const failures: 'before'[] = []
    const owner = await startOwner(unreliable(log, () => failures.shift() ?? null))
    await eventually(() => owner.owned.size === positionsTopic.partitions)
    const newer = await (await open()).transactor(`connect-${partition}`, { topics: [positionsTopic.name] })
    const position = new Position(id)
    position.head = { of: 'newer' }
    const records = [{ key: 'owner', value: Buffer.from('newer'), partition }, ...position.takeChanges()]
    await newer.commit(records.map(record => Object.assign({}, record, { topic: positionsTopic.name })))
    const taken = owner.takeovers()
    failures.push('before')
    position.head = { of: 'older' }
    const write = owner.owned
      .get(partition)
      ?.write(position.takeChanges())
      .catch((error: unknown) => error)
    expect(await write).to.be.instanceOf(Fenced)
    await eventually(() => owner.takeovers() > taken)
    expect(owner.owned.get(partition)?.positions.get(id)?.head).to.deep.equal({ of: 'newer' })
    await owner.owned.get(partition)?.write(position.deletion())
    await owner.stop()
    await newer.close()
  })

  it('A fenced owner stops, and takes the partition again while the group assigns it', async () => {
    const owner = await startOwner(log)
    await eventually(() => owner.owned.size === positionsTopic.partitions)
    const usurper = await (await open()).transactor(`connect-${partition}`, { topics: [positionsTopic.name] })
    const position = new Position(id)
    position.head = { of: 'usurper' }
    const [head] = position.takeChanges()
    const records = head ? [{ ...head, topic: positionsTopic.name }] : []
    await usurper.commit(records)
    const taken = owner.takeovers()
    const fenced = owner.owned
      .get(partition)
      ?.write(position.takeChanges())
      .catch((error: unknown) => error)
    expect(await fenced).to.be.instanceOf(Fenced)
    await eventually(() => owner.takeovers() > taken)
    expect(owner.owned.get(partition)?.positions.get(id)?.head).to.deep.equal({ of: 'usurper' })
    const late = usurper.commit(records).catch((error: unknown) => error)
    expect(await late).to.be.instanceOf(Fenced)
    await owner.owned.get(partition)?.write(position.deletion())
    await owner.stop()
    await usurper.close()
  })
}
