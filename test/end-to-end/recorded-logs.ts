import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { IngestClient } from '../../ingest/shdr/client.ts'
import { readDevices, type Device } from '../../ingest/shdr/devices.ts'
import { replayLog, type ReplaySummary } from '../../ingest/shdr/replay-log.ts'
import type { WireSample } from '../../schema/topics.ts'
import { nistFolder } from '../oracle/nist.ts'
import { testKey, type TestService } from '../support/service.ts'

/** Path of the probe document of the recordings. */
export const probePath = join(nistFolder, 'Devices.xml')

/** Paths of a machine's recordings, oldest first. */
export function logsOf(machine: string): readonly string[] {
  const files = readdirSync(nistFolder).filter(file => file.startsWith(`${machine}-`) && file.endsWith('.shdr.gz'))
  return files.sort().map(file => join(nistFolder, file))
}

/** Names of the recorded machines. */
export function recordedMachines(): readonly string[] {
  const files = readdirSync(nistFolder).filter(file => file.endsWith('.shdr.gz'))
  return [...new Set(files.map(file => file.slice(0, file.indexOf('-'))))].sort()
}

export function readLog(path: string): readonly string[] {
  const text = gunzipSync(readFileSync(path)).toString('utf8')
  return text.split(/\r?\n/).filter(line => line !== '')
}

/** Replays lines as the named machine through the API of the service; creates the machine if it does not exist. */
export async function replayLines(
  service: TestService,
  machine: string,
  lines: Iterable<string>,
): Promise<ReplaySummary> {
  const client = new IngestClient({ url: service.url, key: testKey })
  const device = deviceOf(machine)
  const machineId = await client.findOrCreateMachine(device)
  return replayLog({
    lines: given(lines),
    device,
    rebaseToMs: null,
    speed: null,
    send: samples => client.send({ machineId, samples }),
    onProgress: () => undefined,
    now: Date.now,
    sleep,
  })
}

function deviceOf(machine: string): Device {
  const device = readDevices(readFileSync(probePath, 'utf8')).find(({ name }) => name === machine)
  if (!device) throw new Error(`The probe document has no ${machine}`)
  return device
}

async function* given(lines: Iterable<string>): AsyncIterable<string> {
  yield* lines
}

/** Returns the sample at another time; its timestamp must be in UTC. */
export function moved(sample: WireSample, byUs: number): WireSample {
  const [second = '', digits = ''] = sample.timestamp.replace('Z', '').split('.')
  const us = Date.parse(`${second}Z`) * 1000 + Number(digits.padEnd(6, '0').slice(0, 6)) + byUs
  const ms = Math.floor(us / 1000)
  const timestamp = new Date(ms).toISOString().replace('Z', `${String(us - ms * 1000).padStart(3, '0')}Z`)
  return { ...sample, timestamp }
}

/** Returns the lines in an order that the seed determines. */
export function shuffled(lines: readonly string[], seed: number): readonly string[] {
  const random = xorshift(seed)
  const result = [...lines]
  for (let i = result.length - 1; i > 0; i--) {
    const j = random() % (i + 1)
    const taken = result[i] ?? ''
    result[i] = result[j] ?? ''
    result[j] = taken
  }
  return result
}

/** Marsaglia's xorshift random number generator, 32 bits. https://www.jstatsoft.org/article/view/v008i14 */
function xorshift(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
