/** Tries the rules of a connector on a recording; `npm run connect -- --help` explains how. */
import { readFile } from 'node:fs/promises'
import { ConnectorTrial } from '../../connect/try/try-connector.ts'
import type { Unmapped } from '../../ingest/mapping/unmapped.ts'
import { readLines } from '../../ingest/shdr/files.ts'
import { findMappingErrors } from '../../processors/registrar/commands/connector-mapping.ts'
import { toConnector } from '../../processors/registrar/commands/connector.ts'
import { createChecker } from '../../schema/check.ts'
import { type ConnectorRecord, connectorInput } from '../../schema/records/connector.ts'
import type { WireSample } from '../../schema/topics.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run --silent connect -- try CONNECTOR.json RECORDED

  CONNECTOR.json   body of PUT /connectors/:id, of the kind http, mqtt or shdr
  RECORDED         kind http: a body of POST /ingest/samples
                   kind mqtt: a line of JSON for each message, such as
                   {"at":"2026-11-23T08:00:00Z","topic":"plant/mill5/state","payload":"{\\"code\\":2}"}; may be compressed (.gz)
                   kind shdr: lines of the adapter; may be compressed (.gz)

Prints the samples as lines of JSON, and on stderr what gave no sample: count, reason and first example. Stores nothing.
Exit code: 0; 1 if a file cannot be read or the connector is invalid; 3 if something gave no sample.
`

runCommand({ usage, options: {}, allowPositionals: true }, async ({ positionals }) => {
  const [action, connectorPath, recordedPath, ...more] = positionals
  if (action !== 'try' || connectorPath === undefined || recordedPath === undefined || more.length > 0)
    throw new Error(usage)
  const connector = readConnector(await readFile(connectorPath, 'utf8'))
  const trial = new ConnectorTrial(connector, Date.now())
  if (connector.kind === 'http') (await trial.posts(await readFile(recordedPath))).forEach(print)
  else {
    const lines = readLines([recordedPath])
    for await (const sample of connector.kind === 'shdr' ? trial.lines(lines) : trial.messages(lines)) print(sample)
  }
  console.error(describe(trial.skipped))
  if (trial.skipped.total > 0) process.exitCode = 3
})

function readConnector(text: string): ConnectorRecord {
  const { errors, value } = { value: null, ...createChecker(connectorInput)(JSON.parse(text)) }
  const connector = value === null ? null : toConnector({ id: 'try', ...value }, '', null)
  const all = connector === null ? errors : findMappingErrors(connector)
  if (connector === null || all.length > 0) throw new Error(all.map(({ message }) => message).join('\n'))
  if (connector.kind !== 'mtconnect') return connector
  throw new Error('Recordings of the kind mtconnect cannot be tried: use http, mqtt or shdr')
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
