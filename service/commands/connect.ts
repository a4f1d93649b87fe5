/** Records the source of a connector, or tries its rules on a recording; `npm run connect -- --help` explains how. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { recordSource } from '../../connect/try/record-source.ts'
import { ConnectorTrial } from '../../connect/try/try-connector.ts'
import type { Unmapped } from '../../ingest/mapping/unmapped.ts'
import { readLines } from '../../ingest/shdr/files.ts'
import { findMappingErrors } from '../../processors/registrar/commands/connector-mapping.ts'
import { toConnector } from '../../processors/registrar/commands/connector.ts'
import { createChecker } from '../../schema/check.ts'
import { addressProblem } from '../../schema/records/connector-address.ts'
import { type ConnectorRecord, connectorInput } from '../../schema/records/connector.ts'
import { secretFileFields, sentSecrets } from '../../schema/records/connector-secrets.ts'
import type { Infer } from '../../schema/types.ts'
import type { WireSample } from '../../schema/topics.ts'
import { joinSignals } from '../../shared/async/join-signals.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run --silent connect -- try CONNECTOR.json RECORDED
npm run --silent connect -- record CONNECTOR.json [--seconds 60] FILE

  CONNECTOR.json   body of PUT /connectors/:id, of any kind (http: try only); a password is in secrets
  RECORDED         may be compressed (.gz)
                   kind http: a body of POST /ingest/samples
                   kind mqtt: a line of JSON for each message, such as
                   {"at":"2026-11-23T08:00:00Z","topic":"plant/mill5/state","payload":"{\\"code\\":2}"}
                   kind shdr: lines of the adapter
                   kind mtconnect: documents of the agent, one after the other: probe, current, then those of sample

record reads the source for some seconds over a connection of its own, writes FILE, and replaces an existing one. It opens the
address of the file, regardless of TAKT_CONNECT_ALLOW. Interrupt it to end it earlier.
try prints the samples as lines of JSON, and on stderr what gave no sample: count, reason and first example. Stores nothing.
Exit code: 0; 1 if a file or source cannot be read or the connector is invalid; 3 if something gave no sample.
`

const decompress = promisify(gunzip)

type ConnectorInput = Infer<typeof connectorInput>

/** Limit of a recording: a day. */
const maxSeconds = 86_400

runCommand(
  { usage, options: { seconds: { type: 'string', default: '60' } }, allowPositionals: true },
  async ({ positionals, values }) => {
    const [action, connectorPath, recordedPath, ...more] = positionals
    if (connectorPath === undefined || recordedPath === undefined || more.length > 0) throw new Error(usage)
    const input = parseInput(await readFile(connectorPath, 'utf8'))
    if (action === 'try') await tryConnector(toValid(input), recordedPath)
    else if (action === 'record') await record(input, Number(values.seconds), recordedPath)
    else throw new Error(usage)
  },
)

async function tryConnector(connector: ConnectorRecord, recordedPath: string): Promise<void> {
  const trial = new ConnectorTrial(connector, Date.now())
  if (connector.kind === 'mtconnect')
    for await (const sample of trial.documents((await readRecording(recordedPath)).toString())) print(sample)
  else if (connector.kind === 'http') (await trial.posts(await readRecording(recordedPath))).forEach(print)
  else {
    const lines = readLines([recordedPath])
    for await (const sample of connector.kind === 'shdr' ? trial.lines(lines) : trial.messages(lines)) print(sample)
  }
  console.error(describe(trial.skipped))
  if (trial.skipped.total > 0) process.exitCode = 3
}

/** Reads a file, gzip or plain. */
async function readRecording(path: string): Promise<Buffer> {
  const bytes = await readFile(path)
  return path.endsWith('.gz') ? decompress(bytes) : bytes
}

async function record(input: ConnectorInput, seconds: number, path: string): Promise<void> {
  if (!(seconds > 0 && seconds <= maxSeconds))
    throw new Error(`--seconds must be more than 0, and at most ${maxSeconds}`)
  const connector = toValid(input)
  const named = secretFileFields.find(field => connector.secrets[field] !== undefined)
  if (named !== undefined) throw new Error(`secrets.${named} is not read by this command: send the secret itself`)
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  const { signal } = joinSignals(interrupted.signal, AbortSignal.timeout(seconds * 1_000))
  const file = createWriteStream(path)
  await once(file, 'open')
  // A full disk ends the recording; `finished` throws the error.
  file.once('error', () => interrupted.abort())
  let count = 0
  try {
    count = await recordSource(connector, {
      secrets: sentSecrets(input.secrets ?? null),
      signal,
      clock: Date.now,
      file,
    })
  } finally {
    file.end()
    await finished(file)
  }
  console.error(`${path}: ${count} ${connector.kind === 'mtconnect' ? 'documents' : 'lines'}`)
}

function parseInput(text: string): ConnectorInput {
  const { errors, value } = { value: null, ...createChecker(connectorInput)(JSON.parse(text)) }
  if (value === null) throw new Error(errors.map(({ message }) => message).join('\n'))
  return value
}

function toValid(input: ConnectorInput): ConnectorRecord {
  const connector = toConnector({ id: 'try', ...input }, '', null)
  const { kind, address } = connector
  const problem = kind === 'http' ? null : addressProblem(kind, address)
  const all = [...(problem === null ? [] : [`address ${problem}`]), ...findMappingErrors(connector).map(textOf)]
  if (all.length > 0) throw new Error(all.join('\n'))
  return connector
}

function textOf({ message }: { readonly message: string }): string {
  return message
}

function print(sample: WireSample): void {
  console.log(JSON.stringify(sample))
}

function describe({ total, byReason }: Unmapped): string {
  const lines = [...byReason].map(
    ([reason, { count, example }]) => `${String(count).padStart(8)}  ${reason}: ${example}`,
  )
  return total === 0 ? 'Everything gave a sample.' : ['Without a sample:', ...lines].join('\n')
}
