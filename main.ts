import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import packageJson from './package.json' with { type: 'json' }
import type { Health } from './schema/requests/health.ts'
import type { SimulatedHistory } from './schema/topics.ts'
import { createStartupProgress } from './service/announce.ts'
import { demoSettings, isDemo, type Config } from './service/config.ts'
import { startDemo, type Demo } from './demo/demo.ts'
import { isDemoLeft } from './demo/leave.ts'
import { restrictNewFiles } from './service/data-folder.ts'
import { readEnvironment } from './service/environment.ts'
import { handleProcessEnd } from './service/exit/end-process.ts'
import { fatalMessage } from './service/installation/fatal-message.ts'
import { progressOf } from './service/demo.ts'
import { demoLine, firstReportText, greetingText } from './service/greeting.ts'
import { createSimulatedHistoryPublisher } from './service/live/simulated-history.ts'
import { startTakt, type Takt } from './service/start/takt.ts'

/** Reads the environment and starts the service; `handleProcessEnd` defines how the process ends. */
async function main(): Promise<void> {
  restrictNewFiles()
  const { config, logger } = readEnvironment(process.env)
  const end = handleProcessEnd(logger)
  // The reader of the greeting may close the stream.
  process.stdout.on('error', () => undefined)
  const onFatal = (cause: unknown): void => end.crash(cause, fatalMessage(cause))
  const isTerminal = process.stdout.isTTY
  const takt = await startTakt({ config, logger, onFatal, generatesKey: isTerminal })
  const { url, generatedKey, records } = takt
  const hasUsers = records.companies().some(({ id }) => records.list('user', id).length > 0)
  const setUpToken = hasUsers || !config.TAKT_ROLES.includes('api') ? null : takt.setUpToken
  const facts = { config, version: packageJson.version, url, generatedKey, setUpToken, isTerminal }
  process.stdout.write(greetingText({ ...facts, nowMs: Date.now() }))
  const isLeft = isDemo(config) && isDemoLeft(records, takt.companyId, demoSettings(config))
  process.stdout.write(demoLine(config, isLeft))
  const printReport = () => void process.stdout.write(firstReportText({ ...facts, nowMs: Date.now() }))
  const demo = isDemo(config) && !isLeft ? runDemo(takt, config, logger, printReport) : null
  if (demo === null) printReport()
  end.register({
    closePorts: () => takt.closePorts(),
    async stop(withinMs) {
      // With a deadline, the service gets all the time: the plant is simulated again from its seed.
      if (withinMs === undefined) await demo?.stop()
      await takt.stop(withinMs)
    },
  })
}

/** Starts the simulated plant; calls back when its history is complete and in the reports. */
function runDemo(takt: Takt, config: Config, logger: Logger, onComplete: () => void): Demo {
  const startupProgress = createStartupProgress(process.stdout, 'Filling in its history')
  const publish = createSimulatedHistoryPublisher(takt.log, logger)
  let latest: SimulatedHistory | null = null
  let isComplete = false
  const demo = startDemo({
    ...takt,
    settings: demoSettings(config),
    // With several companies, connectors reach this host only if a setting allows it. On Kafka, another host may run them.
    hasAgent:
      config.TAKT_ROLES.includes('connect') &&
      config.KAFKA_BROKERS.length === 0 &&
      takt.records.companies().length === 1,
    logger,
    onHistory: history => {
      startupProgress.progress(progressOf(history, Date.now()))
      // It is complete once it is in the reports.
      if (!isComplete) publish((latest = { ...history, isComplete }))
    },
    onFailure: error => logger.error({ err: error }, 'Simulated plant stopped'),
  })
  demo.live
    .then(() => waitForReports(takt.url, config.TAKT_DEMO_MACHINES))
    .then(
      () => {
        isComplete = true
        if (latest) publish({ ...latest, isComplete })
        startupProgress.writeLine(`Live after ${process.uptime().toFixed(1)} s. Ctrl-C stops it.`)
        onComplete()
      },
      () => undefined,
    )
  return demo
}

/** Resolves when the reports lag by at most one record per machine, which the plant sends in a second. */
async function waitForReports(url: string, machines: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/health`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of this service
    const { lag } = (await response.json()) as Health
    if (lag.records <= machines) return
    await sleep(100)
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
