import { assert } from 'chai'
import { WorkSlice } from '../../../shared/async/work-slice.ts'

describe('a slice of work', () => {
  it('is resumed in a turn of its own, however many wait, in their order', async () => {
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
        await new WorkSlice().next()
        inTurn += 1
        assert.isAtMost(inTurn, 1, 'slices of one turn')
        resumed.push(index)
      }),
    )
    assert.deepEqual(resumed, [...Array(20).keys()])
    assert.isAtLeast(turns, 19)
  })

  it('rejects with the reason of its signal', async () => {
    const ended = new AbortController()
    const slice = new WorkSlice(ended.signal)
    await slice.next()
    const next = slice.next().catch((error: unknown) => error)
    ended.abort('over')
    assert.equal(await next, 'over')
  })
})
