/** Serves the tables in a folder as a ClickHouse server, until SIGTERM; argument: the folder. Prints the settings of its clients. */
import { openEngine } from '../../clickhouse/client/embedded-store.ts'
import { httpFront } from '../support/http-front.ts'

const folder = process.argv[2] ?? ''
const engine = openEngine(folder)
const { url, username, password } = await httpFront(folder)
process.once('SIGTERM', () => {
  engine.close()
  process.exit(0)
})
// The server does not keep the process alive.
setInterval(() => undefined, 60_000)
const settings = { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password }
process.stdout.write(`${JSON.stringify(settings)}\n`)
