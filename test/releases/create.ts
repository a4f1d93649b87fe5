/**
 * Writes the fixtures of the version in package.json, and lists its migrations as released. Rejects a version with a date in
 * the changelog.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { hourMs } from '../../shared/time/units.ts'
import { responsesOf, writeFixture } from './fixture.ts'
import { createIdentities } from './identities.ts'
import { createIncidents } from './incidents.ts'
import { createPlant, type RecordedRequest } from './plant.ts'
import { writeReleased } from './released-migrations.ts'
import { startRelease, type ReleaseService } from './start-release.ts'
import { type RunningSystem, startSystem, type System, systems } from './systems.ts'

/** Clock of the plant's creation. Kafka uses the system's clock, by which deadlines of commands are ahead. */
const clocks: Record<System, number> = {
  embedded: Date.parse('2026-04-02T12:00:00Z'),
  servers: Math.ceil(Date.now() / hourMs) * hourMs + hourMs,
}
const seed = 53
/** With servers each response takes more CPU; these are those of every n-th request. */
const everyRequest: Record<System, number> = { embedded: 1, servers: 4 }

type Settings = Readonly<Record<string, string>>

const { version } = packageJson
const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
if (!changelog.includes(`## ${version} - unreleased`))
  throw new Error(`CHANGELOG.md has no section "## ${version} - unreleased": a released version does not change`)
for (const system of systems) await write(system)
await writeReleased()
process.stdout.write(`Wrote the fixtures of ${version} and the list of its migrations.\n`)

async function write(name: System): Promise<void> {
  const createdMs = clocks[name]
  // An incident opens after its rule was created.
  const nowMs = createdMs + hourMs
  const folder = mkdtempSync(join(tmpdir(), 'takt-release-'))
  try {
    const system = await startSystem(name, folder)
    if (!system) throw new Error('The fixture of servers needs Kafka')
    const responses = await createThenEnd(name, system, { createdMs, nowMs })
    const failed = responses.filter(({ status }) => status !== 200)
    if (failed.length > 0) throw new Error(`Requests failed: ${JSON.stringify(failed.slice(0, 3))}`)
    writeFixture(version, name, folder, { nowMs, responses })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Clocks {
  readonly createdMs: number
  readonly nowMs: number
}

async function createThenEnd(name: System, system: RunningSystem, clocksMs: Clocks): ReturnType<typeof responsesOf> {
  try {
    return await create(name, system.settings, clocksMs)
  } finally {
    await system.shutDown()
  }
}

async function create(name: System, settings: Settings, { createdMs, nowMs }: Clocks): ReturnType<typeof responsesOf> {
  const plant = await runService(settings, createdMs, service =>
    createPlant(asCaller(service), { seed, nowMs: createdMs }),
  )
  const others = await runService(settings, nowMs, async service => [
    ...(await createIncidents(asCaller(service), nowMs)),
    ...(await createIdentities(settings, service.url)),
  ])
  return readTwice(settings, nowMs, [...plant.filter((_, index) => index % everyRequest[name] === 0), ...others])
}

/** Reads the responses after each of two starts: both must be equal. */
async function readTwice(
  settings: Settings,
  nowMs: number,
  requests: readonly RecordedRequest[],
): ReturnType<typeof responsesOf> {
  const read = () => runService(settings, nowMs, service => responsesOf(service, requests))
  const [first, second] = [await read(), await read()]
  const changed = first.filter((response, index) => !isDeepStrictEqual(response, second[index]))
  if (changed.length > 0) throw new Error(`Responses change at a start: ${JSON.stringify(changed.slice(0, 3))}`)
  return first
}

async function runService<T>(
  settings: Settings,
  clockMs: number,
  use: (service: ReleaseService) => Promise<T>,
): Promise<T> {
  const service = await startRelease(settings, clockMs)
  try {
    await service.settled()
    return await use(service)
  } finally {
    await service.stop()
  }
}

function asCaller({ send, settled }: ReleaseService): Parameters<typeof createPlant>[0] {
  return {
    settled,
    async call(method, path, body) {
      const { status, text } = await send({ method, path, body })
      const parsed: unknown = JSON.parse(text)
      return { status, body: parsed }
    },
  }
}
