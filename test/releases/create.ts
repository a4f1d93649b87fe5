/**
 * Writes the fixture of the version in package.json, and lists its migrations as released. Rejects a version with a date in
 * the changelog.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { responsesOf, writeFixture } from './fixture.ts'
import { createIdentities } from './identities.ts'
import { createPlant, type RecordedRequest } from './plant.ts'
import { writeReleased } from './released-migrations.ts'
import { startRelease, type ReleaseService } from './start-release.ts'

const nowMs = Date.parse('2026-04-02T12:00:00Z')
const seed = 53

const { version } = packageJson
const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
if (!changelog.includes(`## ${version} - unreleased`))
  throw new Error(`CHANGELOG.md has no section "## ${version} - unreleased": a released version does not change`)

const dataDir = mkdtempSync(join(tmpdir(), 'takt-release-'))
try {
  const requests = await runService(async service => [
    ...(await createPlant(asCaller(service), { seed, nowMs })),
    ...(await createIdentities(dataDir, service.url)),
  ])
  const responses = await readTwice(requests)
  const failed = responses.filter(({ status }) => status !== 200)
  if (failed.length > 0) throw new Error(`Requests failed: ${JSON.stringify(failed.slice(0, 3))}`)
  writeFixture(version, dataDir, { nowMs, responses })
  await writeReleased()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
process.stdout.write(`Wrote the fixture of ${version} and the list of its migrations.\n`)

/** Reads the responses after each of two starts: both must be equal. */
async function readTwice(requests: readonly RecordedRequest[]): ReturnType<typeof responsesOf> {
  const read = () => runService(service => responsesOf(service, requests))
  const [first, second] = [await read(), await read()]
  const changed = first.filter((response, index) => !isDeepStrictEqual(response, second[index]))
  if (changed.length > 0) throw new Error(`Responses change at a start: ${JSON.stringify(changed.slice(0, 3))}`)
  return first
}

async function runService<T>(use: (service: ReleaseService) => Promise<T>): Promise<T> {
  const service = await startRelease(dataDir, nowMs)
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
