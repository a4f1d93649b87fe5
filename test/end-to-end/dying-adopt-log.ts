/** Runs `npm run adopt-log` and kills it after the number of entries in the argument. */
import { pino } from 'pino'
import type { Log } from '../../log/log.ts'
import { readConfig } from '../../service/config.ts'
import { createContext } from '../../service/context.ts'
import { adoptLog } from '../../service/installation/adopt.ts'
import { Teardown } from '../../service/teardown.ts'

const entries = Number(process.argv[2])
const logger = pino({ level: 'silent' })
const context = await createContext({ config: readConfig(process.env), logger, clock: Date.now }, new Teardown(logger))
await adoptLog({ ...context, log: dying(context.log) })

function dying(log: Log): Log {
  let written = 0
  return new Proxy(log, {
    get(target, name) {
      if (name === 'transactor') return transactor
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })

  async function transactor(...given: Parameters<Log['transactor']>): ReturnType<Log['transactor']> {
    const real = await log.transactor(...given)
    return {
      async commit(...committed: Parameters<typeof real.commit>) {
        const positions = await real.commit(...committed)
        written += 1
        if (written === entries) process.kill(process.pid, 'SIGKILL')
        return positions
      },
      close: () => real.close(),
    }
  }
}
