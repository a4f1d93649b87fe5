import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type ChildService } from '../support/child-service.ts'
import { startService } from '../support/service.ts'
import { startPosting } from './posting.ts'
import { compareAll, putRecords, recentPlant } from './recent-plant.ts'

describe('service that is killed', function () {
  let dataDir: string
  let child: ChildService
  const start = () => startChild({ TAKT_DATA_DIR: dataDir })

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-crash-'))
  })

  afterEach(async () => {
    await child.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('A killed service loses no accepted sample, and its reports equal those of an undisturbed one', async () => {
    const recent = recentPlant({ seed: 11, machines: 4, hours: 6 })
    const { samples } = recent.plant
    child = await start()
    await putRecords(child.call, recent)
    const posting = startPosting({ samples, size: 13, senders: 8, call: () => child.call })
    for (const share of [0.2, 0.6, 1]) {
      while (posting.share() < share) await sleep(5)
      await child.kill()
      child = await start()
    }
    await posting.done
    // The service is killed while hours are still dirty.
    await sleep(100)
    await child.kill()
    child = await start()
    await child.settled()
    const disturbed = await compareAll(child.call, recent)

    const calm = await startService()
    try {
      await putRecords(calm.call, recent)
      await startPosting({ samples, size: 500, senders: 2, call: () => calm.call }).done
      await calm.settled()
      expect(disturbed).to.deep.equal(await compareAll(calm.call, recent))
    } finally {
      await calm.stop()
    }
  })

  it('A service stops within seconds while samples arrive, and continues after a restart', async () => {
    const recent = recentPlant({ seed: 12, machines: 3, hours: 5 })
    child = await start()
    await putRecords(child.call, recent)
    const { samples } = recent.plant
    const posting = startPosting({ samples, size: 7, senders: 8, call: () => child.call })
    while (posting.share() < 0.5) await sleep(5)
    const { code, tookMs } = await child.stop()
    expect(code).to.equal(0)
    // The watchdog kills the service after 9.5 s; the limit includes a delay until the test notices it.
    expect(tookMs).to.be.below(15_000)
    child = await start()
    await posting.done
    await child.settled()
    await compareAll(child.call, recent)
  })
})
