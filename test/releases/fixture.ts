import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RecordedRequest } from './plant.ts'
import type { ReleaseService } from './start-release.ts'

const folder = fileURLToPath(new URL('../fixtures/releases/', import.meta.url))
const dataFile = 'embedded.tar.gz'

/** A request with the response of the release. */
export interface RecordedResponse extends RecordedRequest {
  readonly status: number
  readonly text: string
}

/** Responses of a release, and the time of its clock. */
export interface Recorded {
  readonly nowMs: number
  readonly responses: readonly RecordedResponse[]
}

/** Returns the versions with a fixture. */
export function releases(): readonly string[] {
  return readdirSync(folder).sort()
}

/** Writes a stopped service's data folder and its responses as the fixture of a version. */
export function writeFixture(version: string, dataDir: string, recorded: Recorded): void {
  const target = join(folder, version)
  mkdirSync(target, { recursive: true })
  execFileSync('tar', [
    '-C',
    dataDir,
    '--sort=name',
    '--owner=0',
    '--group=0',
    '-I',
    'gzip -9',
    '-cf',
    join(target, dataFile),
    '.',
  ])
  writeFileSync(join(target, 'responses.json'), `${JSON.stringify(recorded, null, 1)}\n`)
}

/** Writes the data folder of a release to an empty folder. */
export function unpackFixture(version: string, dataDir: string): void {
  execFileSync('tar', ['-C', dataDir, '-xzf', join(folder, version, dataFile)])
}

export function readRecorded(version: string): Recorded {
  const recorded: Recorded = JSON.parse(readFileSync(join(folder, version, 'responses.json'), 'utf8'))
  return recorded
}

/** Sends the requests one by one; returns them with their responses. */
export async function responsesOf(
  { send }: ReleaseService,
  requests: readonly RecordedRequest[],
): Promise<readonly RecordedResponse[]> {
  const responses: RecordedResponse[] = []
  for (const { method, path, body, key } of requests) {
    const request = { method, path, ...(body !== undefined && { body }), ...(key !== undefined && { key }) }
    responses.push({ ...request, ...(await send(request)) })
  }
  return responses
}
