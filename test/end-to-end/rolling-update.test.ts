import { createClient } from '@clickhouse/client'
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMigrations } from '../../clickhouse/migrations/migrate.ts'
import type { MachineDetails } from '../../schema/records/machine.ts'
import type { WireSample } from '../../schema/topics.ts'
import { copyProject, type ProjectCopy } from '../support/project-copy.ts'
import { builtScript } from '../../service/build/built-scripts.mjs'
import type { ChildService } from '../support/child-service.ts'
import { readAs } from '../support/read-as.ts'
import { breakingMigration, laterChanges, laterVersion, laterWriter } from './later-version.ts'
import { startPosting } from './posting.ts'
import { useProcesses } from './processes.ts'
import { compareAll, putRecords, recentPlant } from './recent-plant.ts'

/** The second test continues on the log and store of the first. */
describe('a rolling update of processes on Kafka', function () {
  const { settings, start } = useProcesses(3)
  const recent = recentPlant({ seed: 67, machines: 3, hours: 4 })
  const samples = recent.plant.samples.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  let copy: ProjectCopy
  /** Path of the later version's `main.ts`. */
  let later: string
  let newest: number

  before(async () => {
    newest = Math.max(...(await readMigrations()).map(({ number }) => number))
    copy = copyProject()
    copy.apply({ changes: laterChanges(newest) })
    later = await builtScript(copy.folder, 'main.ts')
  })
  after(() => copy.remove())

  it('No sample is lost and reports are right while a later version replaces a process under load, and is replaced by it', async () => {
    const first = await start()
    await putRecords(first.call, recent)
    const half = Math.floor(samples.length / 2)
    const next = await replace(first, samples.slice(0, half), later)
    await next.settled()
    await compareAll(next.call, { ...recent, plant: { ...recent.plant, samples: samples.slice(0, half) } })
    const last = await replace(next, samples.slice(half))
    await last.settled()
    await compareAll(last.call, recent)
    expect((await last.call('GET', '/dead-letters')).body).to.have.deep.property('reasons', [])
    const stored = await countsOf('SELECT count() AS samples FROM samples FINAL')
    expect(stored).to.deep.equal([{ samples: new Set(samples.map(sample => JSON.stringify(sample))).size }])
    // Otherwise one of the versions has computed nothing.
    const writers = await countsOf('SELECT DISTINCT written_by FROM hours ORDER BY written_by')
    expect(writers).to.deep.equal([{ written_by: 0 }, { written_by: laterWriter }])
  })

  it('Processes that cannot run beside another version end with the reason', async () => {
    const earlier = await start('ingest,api')
    const running = await start(undefined, {}, later)
    await putLocation(running)
    expect((await earlier.exited).code).to.equal(1)
    expect(earlier.said()).to.include('A later version has continued the log in format')
    expect(await failureOf(start('ingest,api'))).to.include('was written by a newer version: its records have format')

    copy.apply({ changes: [breakingMigration(newest + 2)] })
    const failure = await failureOf(start('process', {}, later))
    expect(failure).to.include(`Processes of an earlier version are running: ${laterVersion} (`)
    expect(failure).to.include('1. Stop all processes').and.include('3. Start a process of this version')
    await compareAll(running.call, recent)
  })

  /** Replaces a process as docs/operations.md describes, under load: posts a third of the samples in each of its steps. */
  async function replace(replaced: ChildService, part: readonly WireSample[], main?: string): Promise<ChildService> {
    const [second, third] = [1, 2].map(place => Math.floor((part.length * place) / 3))
    const [next] = await Promise.all([start(undefined, {}, main), post(part.slice(0, second), [replaced])])
    await ready(next)
    await post(part.slice(second, third), [replaced, next])
    const [{ code }] = await Promise.all([replaced.stop(), post(part.slice(third), [replaced, next])])
    expect(code).to.equal(0)
    return next
  }

  /** A machine with a location needs the later format of the log. */
  async function putLocation({ call }: ChildService): Promise<void> {
    const [id = ''] = recent.plant.machines.map(machine => machine.id)
    const machine = readAs<MachineDetails>((await call('GET', `/machines/${id}`)).body)
    expect((await call('PUT', `/machines/${id}`, { ...machine, location: 'Hall 2' })).status).to.equal(200)
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

async function ready({ call }: ChildService): Promise<void> {
  while ((await call('GET', '/health/ready')).status !== 200) await sleep(100)
}

/** Posts samples to the processes in turn, until one of them has accepted each. */
async function post(samples: readonly WireSample[], processes: readonly ChildService[]): Promise<void> {
  const calls = processes.map(({ call }) => call)
  const inTurn = () => {
    const next = calls.shift()
    if (!next) throw new Error('No process is named')
    calls.push(next)
    return next
  }
  await startPosting({ samples, size: 10, senders: 2, call: inTurn }).done
}

async function failureOf(starting: Promise<ChildService>): Promise<string> {
  return starting.then(
    () => 'It has started',
    (error: unknown) => String(error),
  )
}
