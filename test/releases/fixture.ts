import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { RecordedRequest } from './plant.ts'
import type { ReleaseService } from './start-release.ts'
import type { System } from './systems.ts'

const folder = fileURLToPath(new URL('../fixtures/releases/', import.meta.url))
/** Name of the file with the responses, beside those of the system. */
const recordedFile = 'responses.json'

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

/** Writes the files of a system that has ended, and the responses of its service, as a fixture of a version. */
export function writeFixture(version: string, system: System, files: string, recorded: Recorded): void {
  writeFileSync(join(files, recordedFile), JSON.stringify(recorded))
  const reproducible = ['--sort=name', '--owner=0', '--group=0', '--mtime=@0', '--sparse']
  const archive = execFileSync('tar', ['-C', files, ...reproducible, '-cf', '-', '.'], { maxBuffer: 1 << 30 })
  mkdirSync(join(folder, version), { recursive: true })
  // Half the size of gzip: its window is larger than the distance between the files of similar parts of tables.
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: 24,
    // The highest quality takes 40 times as long and saves 4%.
    [constants.BROTLI_PARAM_QUALITY]: 9,
  }
  writeFileSync(pathOf(version, system), brotliCompressSync(archive, { params }))
}

/** Writes the files of a system of a release to an empty folder; returns the responses of its service. */
export function unpackFixture(version: string, system: System, files: string): Recorded {
  execFileSync('tar', ['-C', files, '-xf', '-'], { input: brotliDecompressSync(readFileSync(pathOf(version, system))) })
  const recorded: Recorded = JSON.parse(readFileSync(join(files, recordedFile), 'utf8'))
  return recorded
}

function pathOf(version: string, system: System): string {
  return join(folder, version, `${system}.tar.br`)
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
