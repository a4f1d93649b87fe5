import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireSample } from '../../schema/topics.ts'
import { startChild, type ChildService } from '../support/child-service.ts'
import { pageById } from './alarm-pages.ts'
import { startPosting } from './posting.ts'

const machines = Array.from({ length: 6 }, (_, i) => `00000000-0000-4000-8000-0000000000a${i}`)
const alarmsEach = 60
const everyMs = 20_000

describe('alarm ids of a service that is killed', function () {
  let dataDir: string
  let child: ChildService
  const start = () => startChild({ TAKT_DATA_DIR: dataDir })

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'takt-alarm-ids-'))
  })

  afterEach(async () => {
    await child.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('Each alarm instance gets one id and keeps it when the service is killed', async () => {
    child = await start()
    for (const id of machines) {
      const { status } = await child.call('PUT', `/machines/${id}`, { name: id })
      expect(status).to.equal(200)
    }
    const samples = alarmsOf(Date.now() - 3_600_000)
    const posting = startPosting({ samples, size: 7, senders: 4, call: () => child.call })
    const given = new Map<number, string>()
    for (const share of [0.3, 0.6, 1]) {
      while (posting.share() < share) await sleep(5)
      await note(given)
      await child.kill()
      child = await start()
    }
    await posting.done
    await child.settled()
    await note(given)
    const after = given.size
    expect(after).to.equal(machines.length * alarmsEach)
    expect(new Set(given.values()).size).to.equal(after)
    expect(Math.max(...given.keys())).to.equal(after)
    expect(await child.stop()).to.have.property('code', 0)
    child = await start()
    await child.settled()
    await note(given)
    expect(given.size).to.equal(after)
  })

  /** Records the current instances by id; fails if an id belonged to another instance before. */
  async function note(given: Map<number, string>): Promise<void> {
    for (const { alarmId, machineId, nativeCode } of await pageById(child, { limit: 200 })) {
      const instance = `${machineId} ${nativeCode}`
      expect(given.get(alarmId) ?? instance).to.equal(instance)
      given.set(alarmId, instance)
    }
  }
})

/** Returns alarms of machines; every alarm of a machine has a different code. */
function alarmsOf(startMs: number): readonly WireSample[] {
  return Array.from({ length: alarmsEach }, (_, index) =>
    machines.flatMap(machineId =>
      ['FAULT', 'NORMAL'].map((value, clears) => ({
        machineId,
        timestamp: new Date(startMs + index * everyMs + clears * 5000).toISOString(),
        key: 'system_cond',
        type: 'SYSTEM',
        nativeCode: String(index),
        value,
      })),
    ),
  ).flat()
}
