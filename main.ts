import { pino } from 'pino'
import { readConfig } from './service/config.ts'
import { startTakt } from './service/start.ts'

/** The entry: reads the environment, starts the service, stops it on SIGTERM and SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const logger = pino({ level: config.TAKT_LOG_LEVEL }, pino.destination(2))
  const takt = await startTakt({ config, logger })
  process.stdout.write(`Takt listens on ${takt.url}${takt.generatedKey ? `, key ${takt.generatedKey}` : ''}\n`)
  const stop = () => {
    takt.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'not stopped cleanly')
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
