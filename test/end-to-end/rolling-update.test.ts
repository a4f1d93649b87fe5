import { createClient } from '@clickhouse/client'
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMigrations } from '../../clickhouse/migrations/migrate.ts'
import type { MachineDetails } from '../../schema/records/machine.ts'
import type { WireSample } from '../../schema/topics.ts'
import { copyProject, type ProjectCopy } from '../developing/project-copy.ts'
import { builtCopy } from '../support/built.ts'
import type { ChildService } from '../support/child-service.ts'
import { readAs } from '../support/read-as.ts'
import { breakingMigration, laterChanges, laterVersion, laterWriter } from './later-version.ts'
import { startPosting } from './posting.ts'
import { useProcesses } from './processes.ts'
import { compareAll, putRecords, recentPlant } from './recent-plant.ts'

/** Roles in the order in which docs/operations.md replaces their processes. */
const roleSets = ['process', 'ingest,connect,api'] as const

/** Tests that continue on the same log and store: each starts what the one before has left. */
describe('a rolling update of processes on Kafka', function () {
  const { settings, start } = useProcesses(3)
  const recent = recentPlant({ seed: 67, machines: 5, hours: 10 })
  const samples = recent.plant.samples.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  let copy: ProjectCopy
  /** Path of the later version's `main.ts`. */
  let later: string
  let newest: number

  before(async () => {
    newest = Math.max(...(await readMigrations()).map(({ number }) => number))
    copy = copyProject()
    copy.apply({ changes: laterChanges(newest) })
    later = await builtCopy(copy.folder)
  })
  after(() => copy.remove())

  it('No sample is lost and reports are right while a later version replaces the processes one by one, and goes back', async () => {
    let [processor, server] = await Promise.all([start(roleSets[0]), start(roleSets[1])])
    await putRecords(server.call, recent)
    const steps = [
      async () => (processor = await replaceBy(processor, roleSets[0], later)),
      async () => (server = await replaceBy(server, roleSets[1], later)),
      async () => (server = await replaceBy(server, roleSets[1])),
      async () => (processor = await replaceBy(processor, roleSets[0])),
    ]
    for (const [index, step] of steps.entries()) {
      const [from, to] = [index, index + 1].map(place => Math.floor((samples.length * place) / steps.length))
      await postDuring(step, samples.slice(from, to), () => server)
      await server.settled()
      await compareAll(server.call, { ...recent, plant: { ...recent.plant, samples: samples.slice(0, to) } })
    }
    expect((await server.call('GET', '/dead-letters')).body).to.have.deep.property('reasons', [])
    const stored = await countsOf('SELECT count() AS samples FROM samples FINAL')
    expect(stored).to.deep.equal([{ samples: new Set(samples.map(sample => JSON.stringify(sample))).size }])
    // Otherwise one of the versions has computed nothing.
    const writers = await countsOf('SELECT DISTINCT written_by FROM hours ORDER BY written_by')
    expect(writers).to.deep.equal([{ written_by: 0 }, { written_by: laterWriter }])
  })

  it('Processes end when a later version continues the log in a later format, and do not start again', async () => {
    const earlier = await start('ingest,api')
    const next = await start('process,ingest,api', {}, later)
    const [id = ''] = recent.plant.machines.map(machine => machine.id)
    const { body } = await next.call('GET', `/machines/${id}`)
    const changed = { ...readAs<MachineDetails>(body), location: 'Hall 2' }
    expect((await next.call('PUT', `/machines/${id}`, changed)).status).to.equal(200)
    expect((await earlier.exited).code).to.equal(1)
    expect(earlier.said()).to.include('A later version has continued the log in format')
    expect(await failureOf(start('ingest,api'))).to.include('was written by a newer version: its records have format')
    await next.settled()
    await compareAll(next.call, recent)
  })

  it('A migration with which running processes cannot work is rejected with the order to follow, in which it runs', async () => {
    const running = await start(undefined, {}, later)
    copy.apply({ changes: [breakingMigration(newest + 2)] })
    const failure = await failureOf(start('process', {}, later))
    expect(failure).to.include(`Processes of an earlier version are running: ${laterVersion} (`)
    expect(failure).to.include('1. Stop all processes').and.include('3. Start a process of this version')
    await compareAll(running.call, recent)
    expect((await running.stop()).code).to.equal(0)
    const next = await start(undefined, {}, later)
    await next.settled()
    await compareAll(next.call, recent)
    expect(await failureOf(start())).to.include('A later version has migrated the database')
  })

  /** Starts a process with the same roles, then stops the replaced one. */
  async function replaceBy(replaced: ChildService, roles: string, main?: string): Promise<ChildService> {
    const next = await start(roles, {}, main)
    expect((await replaced.stop()).code).to.equal(0)
    return next
  }

  async function countsOf(query: string): Promise<unknown> {
    const { CLICKHOUSE_URL: url = '', CLICKHOUSE_USER: username = '', CLICKHOUSE_PASSWORD: password = '' } = settings()
    const { CLICKHOUSE_DATABASE: database = '' } = settings()
    const numbers = { output_format_json_quote_64bit_integers: 0 } as const
    const client = createClient({ url, username, password, database, clickhouse_settings: numbers })
    const rows: unknown = await (await client.query({ query, format: 'JSONEachRow' })).json()
    await client.close()
    return rows
  }
})

/** Posts samples with pauses while a step takes place, and then the rest without. */
async function postDuring(
  step: () => Promise<unknown>,
  samples: readonly WireSample[],
  target: () => ChildService,
): Promise<void> {
  let pauseMs = 50
  const posting = startPosting({
    samples,
    size: 4,
    senders: 3,
    call:
      () =>
      async (...request) => {
        await sleep(pauseMs)
        return target().call(...request)
      },
  })
  await step()
  const share = posting.share()
  pauseMs = 0
  await posting.done
  expect(share, 'share of the requests during the step').to.be.greaterThan(0)
}

async function failureOf(starting: Promise<ChildService>): Promise<string> {
  return starting.then(
    () => 'It has started',
    (error: unknown) => String(error),
  )
}
