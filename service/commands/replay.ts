/** Replays SHDR logs of a machine into Takt; `npm run replay` without arguments prints its usage. */
import { access, constants, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { IngestClient } from '../../ingest/shdr/client.ts'
import { readDevices, type Device } from '../../ingest/shdr/devices.ts'
import { readLines } from '../../ingest/shdr/files.ts'
import { createTemporaryKey, type TemporaryKey } from './temporary-key.ts'
import { runCommand } from './run-command.ts'
import { countsSingleParts, ReplayFindings } from '../../ingest/shdr/findings.ts'
import { replayLog } from '../../ingest/shdr/replay-log.ts'
import { formatReplay } from './present-replay.ts'

const usage = `npm run replay -- --devices Devices.xml --machine <name> [options] <log.shdr[.gz]>...

  --devices <file>    MTConnect probe document that defines the keys of the log
  --machine <name>    device of that document; the machine of that name is created if the company has none
  --rebase <instant>  moves the timestamps so that the log starts then, e.g. 2024-05-06T06:00:00Z
  --speed <factor>    replays at this multiple of real time, e.g. 1; by default as fast as possible
  --url <address>     address of Takt (TAKT_URL; default http://127.0.0.1:8080)
  --key <key>         API key with the scopes machine and ingest.activity (TAKT_ADMIN_KEY); by default a temporary key of the
                      service on this machine, requested through the socket in TAKT_DATA_DIR
  --company <name>    company of the temporary key (its name or id), required if there are several

Exit code: 0; 1 if the log could not be sent; 2 if nothing in it determines the state of the machine; 3 if lines, values
or samples of it were rejected or unreadable, or if parts will be counted wrongly.
`

const options = {
  devices: { type: 'string' },
  machine: { type: 'string' },
  rebase: { type: 'string' },
  speed: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  company: { type: 'string' },
} as const

runCommand({ usage, options, allowPositionals: true }, async ({ values, positionals, config }) => {
  const { url = config.TAKT_URL, key = config.TAKT_ADMIN_KEY ?? '' } = values
  if (values.devices === undefined || values.machine === undefined || positionals.length === 0) throw new Error(usage)
  const rebaseToMs = values.rebase === undefined ? null : readInstant(values.rebase)
  const speed = values.speed === undefined ? null : readSpeed(values.speed)
  const devices = readDevices(await readFile(values.devices, 'utf8'))
  const device = findDevice(devices, values.machine)
  await Promise.all(positionals.map(path => access(path, constants.R_OK)))
  const temporary = key === '' ? await createKey(config.TAKT_DATA_DIR, values.company ?? null) : null
  try {
    process.exitCode = await replay(url, temporary?.key ?? key, {
      devices,
      device,
      paths: positionals,
      rebaseToMs,
      speed,
    })
  } finally {
    await temporary?.delete()
  }
})

async function createKey(dataDir: string, company: string | null): Promise<TemporaryKey> {
  const temporary = await createTemporaryKey(dataDir, {
    company,
    name: 'npm run replay',
    scopes: ['machine', 'ingest.activity'],
  })
  if (temporary) return temporary
  throw new Error(
    `No service listens on the socket in ${dataDir} (TAKT_DATA_DIR). Start the service, or provide a key by --key or TAKT_ADMIN_KEY.`,
  )
}

interface Replay {
  readonly devices: readonly Device[]
  readonly device: Device
  readonly paths: readonly string[]
  readonly rebaseToMs: number | null
  readonly speed: number | null
}

/** Replays the logs and prints a summary; returns the exit code. */
async function replay(
  url: string,
  key: string,
  { devices, device, paths, rebaseToMs, speed }: Replay,
): Promise<number> {
  const client = new IngestClient({ url, key, onWait: reason => console.error(`${reason}, retrying`) })
  const { name, make, model } = device
  const partCounter = countsSingleParts(device) ? ({ partCounter: 'increment' } as const) : {}
  const machineId = await client.findOrCreateMachine({ name, make, model, ...partCounter })
  const findings = new ReplayFindings(device)
  const summary = await replayLog({
    lines: readLines(paths),
    devices,
    device,
    rebaseToMs,
    speed,
    send: samples => {
      findings.addSamples(samples)
      return client.send({ machineId, samples })
    },
    onFaults: (faults, line, number) => findings.addFaults(faults, line, number),
    onProgress: ({ lines, accepted }) => process.stderr.write(`\r${lines} lines, ${accepted} samples accepted `),
    now: Date.now,
    sleep,
  })
  process.stderr.write('\n')
  const settings = await client.partSettings(machineId)
  const found = findings.summary(settings)
  console.log(formatReplay(summary, found, settings))
  if (!found.hasState) return 2
  return found.problems.length > 0 || Object.keys(summary.rejected).length > 0 ? 3 : 0
}

function findDevice(devices: readonly Device[], name: string): Device {
  const device = devices.find(candidate => candidate.name === name)
  if (device) return device
  throw new Error(`Unknown device ${name}: use one of ${devices.map(candidate => candidate.name).join(', ')}`)
}

function readInstant(text: string): number {
  const atUs = parseInstantUs(text)
  if (atUs === null) throw new Error(`--rebase must be an ISO 8601 date and time, not ${text}`)
  return Math.floor(atUs / 1000)
}

function readSpeed(text: string): number {
  const speed = Number(text)
  if (speed > 0 && Number.isFinite(speed)) return speed
  throw new Error(`--speed must be a number above 0, not ${text}`)
}
