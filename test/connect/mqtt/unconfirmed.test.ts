import { expect } from 'chai'
import * as fc from 'fast-check'
import type { KeptNote } from '../../../connect/source/note.ts'
import { type StoredHashes, Unconfirmed } from '../../../connect/mqtt/unconfirmed.ts'

const limit = 10_000

function acknowledge(unconfirmed: Unconfirmed, count: number): void {
  for (let at = 0; at < count; at++) unconfirmed.acknowledged(`${unconfirmed.hashes.length}`)
}

describe('unconfirmed messages of a broker', () => {
  it('A connection is full after 10,000 messages that the broker has not confirmed', () => {
    const unconfirmed = new Unconfirmed({ hashes: [] })
    acknowledge(unconfirmed, limit - 1)
    expect(unconfirmed.isFull).to.equal(false)
    unconfirmed.pingSent()
    acknowledge(unconfirmed, 1)
    expect(unconfirmed.isFull).to.equal(true)
    unconfirmed.pingAnswered()
    expect([unconfirmed.isFull, unconfirmed.hashes.length]).to.deep.equal([false, 1])
  })

  it('The next connection of a broker that confirms nothing recognizes the newest messages, and keeps no more', () => {
    const first = new Unconfirmed({ hashes: [] })
    acknowledge(first, limit)
    const second = new Unconfirmed(first)
    expect([second.isFull, second.isRepeated('0')]).to.deep.equal([false, true])
    acknowledge(second, limit)
    expect(second.isFull).to.equal(true)
    const third = new Unconfirmed(second)
    expect([third.hashes.length, third.isRepeated('0'), third.isRepeated(`${2 * limit - 1}`)]).to.deep.equal([
      limit,
      false,
      true,
    ])
  })

  it('After a crash, the stored position and the notes of later samples recognize every message that may come again', () => {
    const step = fc.constantFrom('message', 'message', 'skipped', 'ping', 'answer', 'store', 'forgotten', 'crash')
    const check = (steps: readonly string[]) => {
      let unconfirmed = new Unconfirmed({ hashes: [] })
      let stored: StoredHashes = { hashes: [] }
      let notes: KeptNote[] = []
      let number = 0
      const open: string[] = []
      /** Numbers of messages when each ping was sent that is not answered. */
      const pings: number[] = []
      for (const each of steps) {
        if (each === 'message' || each === 'skipped') {
          const note = { ...unconfirmed.noteOf(`m${++number}`), atMs: number }
          // A message without samples has no note.
          if (each === 'message') notes.push(note)
          if (each === 'message') open.push(`m${number}`)
          unconfirmed.acknowledged(`m${number}`)
        } else if (each === 'ping') {
          unconfirmed.pingSent()
          pings.push(number)
        } else if (each === 'answer' && pings.length > 0) {
          unconfirmed.pingAnswered()
          const confirmed = pings.shift() ?? 0
          open.splice(0, open.filter(hash => Number(hash.slice(1)) <= confirmed).length)
        } else if (each === 'store') {
          stored = { hashes: [...unconfirmed.hashes], received: unconfirmed.received }
          notes = notes.filter(note => note.number > unconfirmed.received)
        } else if (each === 'forgotten') {
          unconfirmed.clear()
          open.length = 0
        } else if (each === 'crash') {
          unconfirmed = new Unconfirmed(stored, notes)
          pings.length = 0
          expect(open.every(hash => unconfirmed.isRepeated(hash))).to.equal(true)
          expect(unconfirmed.received).to.be.at.most(number)
          const last = notes.at(-1)
          const confirmed = Math.max(
            Number(last?.text.split(' ')[0] ?? 0),
            (stored.received ?? 0) - stored.hashes.length,
          )
          // Messages that the broker had confirmed before the last note or position are not recognized.
          expect(unconfirmed.hashes.length).to.be.at.most(unconfirmed.received - confirmed)
          number = Math.max(number, unconfirmed.received)
        }
      }
    }
    // A ping that is answered after the session was discarded confirms no later message.
    const discarded = ['message', 'ping', 'forgotten', 'message', 'answer', 'message', 'crash'] as const
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), check), {
      numRuns: 2_000,
      examples: [[[...discarded]]],
    })
  })
})
