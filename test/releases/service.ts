/** Starts the service in this process with a clock that stands still; arguments: the time, UTC ms. Prints its address. */
import { startTakt } from '../../service/start/takt.ts'
import { readEnvironment } from '../../service/environment.ts'

const nowMs = Number(process.argv[2])
const takt = await startTakt({ ...readEnvironment(process.env), clock: () => nowMs })
process.once('SIGTERM', () => void takt.stop().then(() => process.exit(0)))
process.stdout.write(`${takt.url}\n`)
