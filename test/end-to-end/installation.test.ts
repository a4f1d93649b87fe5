import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { built } from '../support/built.ts'
import { childEnv, startChild as startOne, type ChildService } from '../support/child-service.ts'
import { companyCommand } from '../support/company-command.ts'
import { sharedBroker } from '../support/kafka.ts'
import { sharedClickhouse } from '../support/shared-clickhouse.ts'
import { eventually } from '../log/fixture.ts'
import { removeTopics } from './topics.ts'
import type { MachineRef } from '../../schema/refs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const minuteMs = 60_000
const children: ChildService[] = []

async function startChild(env: Readonly<Record<string, string>>): Promise<ChildService> {
  const child = await startOne(env)
  children.push(child)
  return child
}

afterEach(() => Promise.all(children.splice(0).map(child => child.kill())))

interface Machine {
  readonly id: string
  readonly name: string
  readonly machineRef: MachineRef
  readonly missing: readonly string[] | null
}

/** Creates a machine that produced the given number of parts within the last hours. */
async function produce(child: ChildService, name: string, parts: number): Promise<string> {
  const { call } = child
  const id = randomUUID()
  expect((await call('PUT', `/machines/${id}`, { name })).status).to.equal(200)
  const startMs = Date.now() - 120 * minuteMs
  const at = (index: number) => new Date(startMs + index * minuteMs).toISOString()
  const execution = { machineId: id, timestamp: at(0), key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
  const counts = Array.from({ length: parts + 1 }, (_, index) => ({
    machineId: id,
    timestamp: at(index + 1),
    key: 'count',
    type: 'PART_COUNT',
    value: index,
  }))
  expect((await call('POST', '/ingest/samples', [execution, ...counts])).status).to.equal(202)
  await child.settled()
  return id
}

/** Parts by machine id. */
async function partsOf({ call }: ChildService): Promise<Readonly<Record<string, number>>> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const { status, body } = await call('POST', '/reports/production', {
    startDay: day(Date.now() - 1440 * minuteMs),
    endDay: day(Date.now()),
    data: [{ metric: 'totalParts' }],
    groupBy: [{ group: 'machine' }],
  })
  expect(status, JSON.stringify(body)).to.equal(200)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service answers
  const { items } = body as { items: { entity: { id: string }; aggregate: { totalParts: number } }[] }
  return Object.fromEntries(items.map(({ entity, aggregate }) => [entity.id, aggregate.totalParts]))
}

/** Machines, as soon as the service has read their samples of before its start. */
async function machinesOf({ call }: ChildService): Promise<readonly Machine[]> {
  let machines: readonly Machine[] = []
  await eventually(async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service answers
    machines = (await call('GET', '/machines')).body as readonly Machine[]
    return machines.every(({ missing }) => missing !== null)
  })
  return machines
}

/** Returns the message of a start that is rejected; rejects if the service starts. */
async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
  const child = await startChild(env).then(
    started => started,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  if (typeof child === 'string') return child
  await child.kill()
  throw new Error('The service started')
}

async function adoptLog(env: Readonly<Record<string, string>>): Promise<string> {
  const command = [await built('service/commands/adopt-log.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: childEnv(env) })
  return stdout
}

/** Runs adopt-log and kills it after it has written the given number of entries. */
async function killedAdoptLog(env: Readonly<Record<string, string>>, entries: number): Promise<void> {
  const command = [await built('test/end-to-end/dying-adopt-log.ts'), String(entries)]
  const error: unknown = await promisify(execFile)(process.execPath, command, { cwd: root, env: childEnv(env) }).then(
    () => null,
    (failure: unknown) => failure,
  )
  expect(error).to.have.property('signal', 'SIGKILL')
}

async function failedAdoptLog(env: Readonly<Record<string, string>>): Promise<string> {
  return adoptLog(env).then(
    () => 'It did not fail',
    (error: unknown) => String(error),
  )
}

function idIn(dataDir: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the service writes
  return (JSON.parse(readFileSync(join(dataDir, 'installation.json'), 'utf8')) as { installationId: string })
    .installationId
}

describe('installation on the embedded log and store', function () {
  let dataDir: string
  let env: Readonly<Record<string, string>>
  const folders: string[] = []
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'takt-installation-'))
    folders.push(made)
    return made
  }
  /** Uses an empty data folder, or the given folder of an installation that was started once and stopped. */
  const useFolder = (of = folder()) => {
    dataDir = of
    env = { TAKT_DATA_DIR: dataDir }
  }
  let installed: string
  const copyOfInstalled = () => {
    const copy = folder()
    cpSync(installed, copy, { recursive: true })
    return copy
  }
  before(async () => {
    installed = folder()
    await (await startChild({ TAKT_DATA_DIR: installed })).stop()
  })
  beforeEach(() => useFolder())
  after(() => {
    for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true })
  })

  it('A start with an emptied log is rejected, and adopt-log creates a new log with the history of every machine', async () => {
    const first = await startChild(env)
    const lathe = await produce(first, 'Lathe', 42)
    const mill = await produce(first, 'Mill', 7)
    await first.call('DELETE', `/machines/${mill}`)
    const [machinesBefore, partsBefore] = [await machinesOf(first), await partsOf(first)]
    await first.stop()
    rmSync(join(dataDir, 'log'), { recursive: true })

    const said = await refusal(env)
    expect(said)
      .to.match(/log in .*log is empty/)
      .and.match(/npm run adopt-log/)
    const listed = await companyCommand(env, 'list').then(
      out => out,
      (error: unknown) => String(error),
    )
    expect(listed, 'the command is rejected too').to.match(/npm run adopt-log/)

    const told = await adoptLog(env)
    expect(told)
      .to.match(/Lost/)
      .and.match(/samples that were accepted/i)
    const second = await startChild(env)
    expect(await machinesOf(second)).to.deep.equal(machinesBefore)
    await second.settled()
    expect(await partsOf(second)).to.deep.equal(partsBefore)
    const saw = await produce(second, 'Saw', 3)
    const refs = (await machinesOf(second)).map(({ machineRef }) => machineRef)
    expect(new Set(refs).size).to.equal(refs.length)
    expect(
      (await machinesOf(second)).find(({ id }) => id === saw)?.machineRef,
      'above those of deleted ones',
    ).to.be.above(2)
    expect(await partsOf(second)).to.deep.equal({ ...partsBefore, [saw]: 3 })
    // Changes of restored records must be stored too.
    expect((await second.call('PUT', `/machines/${lathe}`, { name: 'Lathe 2' })).status).to.equal(200)
    await second.stop()
    const third = await startChild(env)
    expect((await machinesOf(third)).map(({ name }) => name)).to.have.members(['Lathe 2', 'Saw'])
    await third.stop()
  })

  it('An interrupted adopt-log continues when it is run again, with the same result', async () => {
    const first = await startChild(env)
    for (const name of ['Lathe', 'Mill']) await first.call('PUT', `/machines/${randomUUID()}`, { name })
    const machines = await machinesOf(first)
    const id = idIn(dataDir)
    await first.stop()
    rmSync(join(dataDir, 'log'), { recursive: true })
    const told: string[] = []
    // The process is killed after the records, and after the entry that completes the log.
    for (const entries of [1, 2]) {
      const copy = join(folder(), 'data')
      cpSync(dataDir, copy, { recursive: true })
      const copied = { TAKT_DATA_DIR: copy }
      await killedAdoptLog(copied, entries)
      if (entries === 1) expect(await refusal(copied)).to.match(/npm run adopt-log/)
      told.push(await adoptLog(copied))
      expect(idIn(copy)).to.equal(id)
      const second = await startChild(copied)
      expect(await machinesOf(second)).to.deep.equal(machines)
      expect((await second.call('PUT', `/machines/${randomUUID()}`, { name: 'Saw' })).status).to.equal(200)
      await second.stop()
      expect(await failedAdoptLog(copied)).to.match(/is not empty/)
    }
    expect(told[1]).to.equal(told[0])
  })

  it('A start with an emptied store, or without log and store, is rejected', async () => {
    useFolder(copyOfInstalled())
    const id = idIn(dataDir)
    rmSync(join(dataDir, 'store'), { recursive: true })
    expect(await refusal(env))
      .to.match(/store in .*store is empty/)
      .and.contain(id)
    rmSync(join(dataDir, 'log'), { recursive: true })
    expect(await refusal(env))
      .to.match(/are empty/)
      .and.contain(id)
    expect(existsSync(join(dataDir, 'installation.json'))).to.equal(true)
  })

  it('A start with the log or store of another installation is rejected with its id', async () => {
    const other = copyOfInstalled()
    await (await startChild(env)).stop()
    expect(idIn(dataDir)).not.to.equal(idIn(other))
    renameSync(join(dataDir, 'log'), join(dataDir, 'own-log'))
    cpSync(join(other, 'log'), join(dataDir, 'log'), { recursive: true })
    expect(await refusal(env)).to.match(/so the log belongs to another installation/)
    rmSync(join(dataDir, 'log'), { recursive: true })
    renameSync(join(dataDir, 'own-log'), join(dataDir, 'log'))
    const again = await startChild(env)
    await again.stop()
  })

  it('A start with a log older than the store is rejected', async () => {
    useFolder(copyOfInstalled())
    const child = await startChild(env)
    for (let index = 0; index < 5; index++) await child.call('PUT', `/machines/${randomUUID()}`, { name: `M${index}` })
    await child.stop()
    rmSync(join(dataDir, 'log'), { recursive: true })
    cpSync(join(installed, 'log'), join(dataDir, 'log'), { recursive: true })
    expect(await refusal(env))
      .to.match(/older than/)
      .and.match(/npm run adopt-log/)
  })
})

describe('installation on Kafka and ClickHouse', function () {
  let broker: Exclude<Awaited<ReturnType<typeof sharedBroker>>, null>
  before(async function () {
    const found = await sharedBroker()
    if (found) broker = found
    else this.skip()
  })

  it('Every process rejects an emptied log or another database', async () => {
    await removeTopics(broker)
    const clickhouse = await sharedClickhouse()
    const env = { ...clickhouse.env(), KAFKA_BROKERS: broker.brokers.join(','), TAKT_PARTITIONS: '2' }
    const [first, api] = await Promise.all([startChild(env), startChild({ ...env, TAKT_ROLES: 'api' })])
    const lathe = await produce(first, 'Lathe', 9)
    const before = await partsOf(api)
    expect(before).to.deep.equal({ [lathe]: 9 })
    await Promise.all([first.stop(), api.stop()])
    const otherDatabase = { ...env, ...clickhouse.env() }
    expect(await refusal(otherDatabase)).to.match(/store in ClickHouse .* is empty/)
    await removeTopics(broker)
    for (const TAKT_ROLES of ['ingest,process,api', 'api', 'ingest'])
      expect(await refusal({ ...env, TAKT_ROLES }), TAKT_ROLES).to.match(/log on Kafka .* is empty/)

    await adoptLog(env)
    const second = await startChild(env)
    await second.settled()
    expect(await partsOf(second)).to.deep.equal(before)
    const saw = await produce(second, 'Saw', 3)
    expect(await partsOf(second)).to.deep.equal({ ...before, [saw]: 3 })
    await second.stop()
  })
})
