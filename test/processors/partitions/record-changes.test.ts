import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimPartition } from '../../../processors/partitions/claim.ts'
import { crashOnRejection } from '../../../shared/async/crash-on-rejection.ts'
import { RepeatedFailure } from '../../../shared/async/repeated-failure.ts'
import { ChangeQueue, PastChanges, type RecordChange } from '../../../processors/partitions/record-changes.ts'

const failure = new RepeatedFailure(undefined, 'changes')
const changeAt = (offset: number): RecordChange => ({
  offset,
  affected: [],
  readAffected: null,
  promotions: [],
  companyRef: null,
})

function silent() {
  const logged: string[] = []
  const log = (_: unknown, message?: string) => void logged.push(message ?? '')
  return { logged, logger: { warn: log, error: log } }
}

describe('ChangeQueue', () => {
  it('Record changes are delivered in order, and a failed delivery is repeated before the next', async () => {
    const { logger, logged } = silent()
    const applied: number[] = []
    let failures = 2
    const queue = new ChangeQueue({
      logger,
      failure,
      signal: new AbortController().signal,
      apply: async ({ offset }) => {
        if (offset === 5 && failures-- > 0) throw new Error('The calendar could not be made')
        applied.push(offset)
      },
    })
    queue.add([changeAt(4), changeAt(5)])
    queue.add([changeAt(6)])
    expect(queue.size, 'pending changes count as lag').to.equal(3)
    while (queue.size > 0) await sleep(10)
    expect(applied).to.deep.equal([4, 5, 6])
    expect(logged.length).to.equal(2)
  })

  it('A record change that arrives while the previous one completes is delivered', async () => {
    const { logger } = silent()
    for (let microtasks = 0; microtasks < 20; microtasks++) {
      const delivered: number[] = []
      const queue: ChangeQueue = new ChangeQueue({
        logger,
        failure,
        signal: new AbortController().signal,
        apply: async ({ offset }) => {
          delivered.push(offset)
          if (offset === 1) crashOnRejection(addLater())
        },
      })
      const addLater = async () => {
        for (let passed = 0; passed < microtasks; passed++) await Promise.resolve()
        queue.add([changeAt(2)])
      }
      queue.add([changeAt(1)])
      await sleep(1)
      expect(delivered, `after ${microtasks} microtasks`).to.deep.equal([1, 2])
    }
  })

  it('Record changes are dropped when the partition moves to another owner', async () => {
    const { logger } = silent()
    const released = new AbortController()
    let attempts = 0
    const apply = async () => {
      attempts++
      throw new Error('never')
    }
    new ChangeQueue({ logger, failure, signal: released.signal, apply }).add([changeAt(1)])
    await sleep(20)
    released.abort()
    const before = attempts
    await sleep(300)
    expect(attempts).to.equal(before)
  })
})

describe('PastChanges', () => {
  it('Record changes are forgotten up to the lowest offset that all partitions have stored', () => {
    const past = new PastChanges()
    for (const offset of [3, 7, 9]) past.add(changeAt(offset))
    past.forgetStored(new Map([[0, 9]]), 2)
    expect(past.size, 'changes are retained while a partition has stored no offset').to.equal(3)
    past.forgetStored(
      new Map([
        [0, 9],
        [1, 7],
      ]),
      2,
    )
    expect(past.after(-1).map(({ offset }) => offset)).to.deep.equal([9])
    expect(past.forgottenOffset).to.equal(7)
  })
})

describe('claimPartition', () => {
  it('A failed partition claim is repeated after a pause, until the process stops', async () => {
    const { logger, logged } = silent()
    const stopping = new AbortController()
    const claim = claimPartition(1, {
      commands: { submit: () => Promise.reject(new Error('No registrar')) },
      store: { readHighestFence: async () => 0 },
      owner: 'me',
      logger,
      signal: stopping.signal,
    }).catch(() => 'rejected')
    await sleep(500)
    stopping.abort()
    expect(await claim).to.equal('rejected')
    expect(logged.length).to.be.within(1, 5)
  })
})
