import { assert } from 'chai'
import { TimeSlice } from '../../../shared/async/time-slice.ts'

describe('TimeSlice', () => {
  it('Waiting time slices resume in their order, each in its own iteration of the event loop', async () => {
    const resumed: number[] = []
    let inTurn = 0
    let turns = 0
    const turn = (): void => {
      turns += 1
      inTurn = 0
      if (resumed.length < 20) setImmediate(turn)
    }
    setImmediate(turn)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await new TimeSlice().next()
        inTurn += 1
        assert.isAtMost(inTurn, 1, 'slices of one turn')
        resumed.push(index)
      }),
    )
    assert.deepEqual(resumed, [...Array(20).keys()])
    assert.isAtLeast(turns, 19)
  })

  it('A time slice rejects with the reason of its signal', async () => {
    const ended = new AbortController()
    const slice = new TimeSlice(ended.signal)
    await slice.next()
    const next = slice.next().catch((error: unknown) => error)
    ended.abort('over')
    assert.equal(await next, 'over')
  })
})
