import { expect } from 'chai'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { Log } from '../../../log/log.ts'
import { createTimelineHistory } from '../../../service/live/timeline-history.ts'

describe('timeline history', () => {
  it('caughtUp polls until the samples are in the store', async () => {
    let asked = 0
    let isTold = true
    const log: Pick<Log, 'endOffsets' | 'committed'> = {
      endOffsets: async () => [9],
      // Waiting samples are inserted after the third request.
      committed: async () => [asked < 3 ? 4 : 9],
    }
    const store: Pick<Store, 'ping'> = { ping: async () => undefined }
    // oxlint-disable typescript/no-unsafe-type-assertion -- no other methods are called
    const history = createTimelineHistory(
      { store: store as Store, log: log as Log, batchScheduler: { requestFlush: () => void asked++ } },
      { listen: () => () => undefined, caughtUp: async () => isTold, stop: async () => undefined },
    )
    // oxlint-enable typescript/no-unsafe-type-assertion
    expect(await history.caughtUp()).to.equal(true)
    isTold = false
    expect(await history.caughtUp()).to.equal(false)
  })
})
