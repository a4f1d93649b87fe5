import { assert } from 'chai'
import * as fc from 'fast-check'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql, type Sql } from '../../clickhouse/sql/sql.ts'
import type { Store } from '../../clickhouse/client/store.ts'
import type { RebuildResponse, RecomputesResponse } from '../../schema/requests/recomputes.ts'
import type { OraclePlant, ReportKind } from '../oracle/oracle.ts'
import { arbitraryPlant, arbitraryPlantWithRequests } from '../oracle/plant.ts'
import { built } from '../support/built.ts'
import { environmentWithoutTakt, startChild, type ChildService } from '../support/child-service.ts'
import { forAll } from '../support/for-all.ts'
import { readAs } from '../support/read-as.ts'
import { testKey, type TestService } from '../support/service.ts'
import { compareReportsOf } from './compare-reports.ts'
import { changeTo, postSamples, startPlant, withSettingsOf } from './plant-service.ts'
import { startPosting } from './posting.ts'
import { compareAll, putRecords, recentPlant } from './recent-plant.ts'

const plants = 1
const reports: readonly ReportKind[] = ['production', 'downtime', 'quality', 'alarm']

type Call = TestService['call']

async function recomputes(call: Call): Promise<RecomputesResponse> {
  const { status, body } = await call('GET', '/recomputes')
  assert.equal(status, 200)
  return readAs<RecomputesResponse>(body)
}

async function startRebuild(call: Call): Promise<RebuildResponse> {
  const { status, body } = await call('POST', '/recomputes')
  assert.equal(status, 202, JSON.stringify(body))
  return readAs<RebuildResponse>(body)
}

async function finished(call: Call, id: string): Promise<RebuildResponse> {
  for (;;) {
    const rebuild = (await recomputes(call)).rebuilds.find(each => each.id === id)
    if (rebuild && rebuild.finishedAt !== null) return rebuild
    await sleep(50)
  }
}

/** Returns all documents and all assigned ids, without versions. */
async function stored(store: Store): Promise<readonly unknown[]> {
  const queries: Sql[] = [
    sql`SELECT machine, toString(slot) AS at, toString(tuple(* EXCEPT (version))) AS row FROM hours FINAL ORDER BY machine, slot`,
    sql`SELECT toString(tuple(* EXCEPT (version))) AS row FROM alarm_ids FINAL ORDER BY company, start_ms, id`,
    sql`SELECT toString(tuple(* EXCEPT (version))) AS row FROM native_codes FINAL ORDER BY company, code, message, level`,
    sql`SELECT toString(tuple(* EXCEPT (version))) AS row FROM job_runs FINAL ORDER BY company, run`,
    sql`SELECT kind, id, json FROM records FINAL WHERE kind NOT IN ('rebuild', 'claim', 'projected') AND NOT deleted ORDER BY kind, id`,
  ]
  return Promise.all(queries.map(query => store.query(query)))
}

async function run(store: Store, statements: readonly Sql[]): Promise<void> {
  for (const statement of statements) await store.command(statement, { settings: { mutations_sync: 2 } })
}

const damage = [
  sql`ALTER TABLE hours UPDATE facts_duration_ms = arrayMap(x -> 7, facts_duration_ms), facts_parts = arrayMap(x -> 7., facts_parts) WHERE 1`,
  sql`ALTER TABLE hours UPDATE segment_status = arrayMap(x -> 2, segment_status), segment_in_cycle = arrayMap(x -> 1, segment_in_cycle) WHERE 1`,
  sql`ALTER TABLE hours UPDATE downtime_reason = arrayMap(x -> -1, downtime_reason) WHERE machine % 2 = 0`,
  sql`ALTER TABLE hours UPDATE alarm_code = arrayMap(x -> 'damaged', alarm_code) WHERE 1`,
  sql`ALTER TABLE hours UPDATE part_count = arrayMap(x -> 9., part_count) WHERE 1`,
]

describe('rebuild', function () {
  this.timeout(3_600_000)

  it('A rebuild repairs documents damaged by hand while samples arrive, and keeps every id', () =>
    forAll(
      fc.asyncProperty(arbitraryPlantWithRequests({}, 24, reports), async ({ plant, requests }) => {
        const service = await startPlant(plant)
        try {
          const late = plant.samples.slice(-Math.ceil(plant.samples.length / 4))
          await postSamples(service, plant.samples.slice(0, -late.length), 400)
          await service.settled()
          await run(service.store, damage)
          const { id, of } = await startRebuild(service.call)
          assert.equal(of, 'company')
          assert.equal((await startRebuild(service.call)).id, id, 'a second start returns the rebuild in progress')
          await postSamples(service, late, 10)
          const { totalHours, doneHours } = await finished(service.call, id)
          assert.equal(doneHours, totalHours)
          await service.settled()
          await compareReportsOf(service, plant, requests)

          const right = await stored(service.store)
          await finished(service.call, (await startRebuild(service.call)).id)
          assert.deepEqual(await stored(service.store), right)
        } finally {
          await service.stop()
        }
      }),
      { numRuns: plants },
    ))

  it('A rebuild gives the same documents as the single changes of records before it', () =>
    forAll(
      fc.asyncProperty(arbitraryPlant(), arbitraryPlant(), async (plant: OraclePlant, other: OraclePlant) => {
        const service = await startPlant(withSettingsOf(plant, other))
        try {
          await postSamples(service, plant.samples, 400)
          await service.settled()
          await changeTo(service, plant)
          await service.settled()
          const changed = await stored(service.store)
          await finished(service.call, (await startRebuild(service.call)).id)
          await service.settled()
          assert.deepEqual(await stored(service.store), changed)
        } finally {
          await service.stop()
        }
      }),
      { numRuns: plants },
    ))

  describe('of a service that is killed', () => {
    let dataDir: string
    let child: ChildService
    const start = () => startChild({ TAKT_DATA_DIR: dataDir })

    beforeEach(() => {
      dataDir = mkdtempSync(join(tmpdir(), 'takt-rebuild-'))
    })
    afterEach(async () => {
      await child.kill()
      rmSync(dataDir, { recursive: true, force: true })
    })

    it('A rebuild continues after the service was killed', async () => {
      const recent = recentPlant({ seed: 21, machines: 3, hours: 4 })
      child = await start()
      await putRecords(child.call, recent)
      await putHistory(child.call, 4)
      await startPosting({ samples: recent.plant.samples, size: 500, senders: 2, call: () => child.call }).done
      await child.settled()
      const before = await compareAll(child.call, recent)
      const { id } = await startRebuild(child.call)
      for (let kills = 0; kills < 2; kills++) {
        await underWay(child.call, id)
        await child.kill()
        child = await start()
      }
      await underWay(child.call, id)
      assert.deepEqual(await compareAll(child.call, recent), before, 'reports during the rebuild')
      const { totalHours, doneHours } = await finished(child.call, id)
      assert.equal(doneHours, totalHours)
      assert.deepEqual(await compareAll(child.call, recent), before)
    })

    it('A rebuild can be requested on the command line with and without a running service', async () => {
      const rebuild = async (...args: readonly string[]) => {
        const env = {
          ...environmentWithoutTakt(),
          TAKT_DATA_DIR: dataDir,
          TAKT_ADMIN_KEY: testKey,
          KAFKA_BROKERS: '',
          CLICKHOUSE_URL: '',
        }
        const { stdout } = await promisify(execFile)(
          process.execPath,
          [await built('service/commands/rebuild.ts'), ...args],
          { env },
        )
        return stdout
      }
      child = await start()
      await putHistory(child.call, 2)
      await child.settled()
      assert.match(await rebuild(), /Done: \d{4,} machine-hours recomputed/)
      assert.match(await rebuild('--company', 'My plant', '--detach'), /Started rebuild/)
      await child.stop()
      assert.match(await rebuild(), /Done: \d{4,} machine-hours recomputed/)
      child = await start()
      const { rebuilds } = await recomputes(child.call)
      assert.sameMembers(
        rebuilds.map(({ of }) => of),
        ['installation', 'company', 'installation'],
      )
    })
  })
})

/** Creates machines with many historic hours, none of which is in a report of today. */
async function putHistory(call: Call, count: number): Promise<void> {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  for (let index = 0; index < count; index++) {
    const body = { name: `Old ${index}`, commissionedAt: daysAgo(200), decommissionedAt: daysAgo(100) }
    const { status } = await call('PUT', `/machines/${randomUUID()}`, body)
    assert.equal(status, 200)
  }
}

async function underWay(call: Call, id: string): Promise<void> {
  for (;;) {
    const rebuild = (await recomputes(call)).rebuilds.find(each => each.id === id)
    assert.isNull(rebuild?.finishedAt ?? null, 'finishedAt before the kill')
    if (rebuild && rebuild.doneHours > 0) return
    await sleep(10)
  }
}
