import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { enterInstallation } from '../installation/enter.ts'
import { createContext } from '../context.ts'
import { startRegistrar } from '../roles/process.ts'
import { Teardown } from '../teardown.ts'
import { tasks } from '../tasks/tasks.ts'

/** Opens log and store in this process, does a task with them and closes them. */
export async function performHere(name: string, payload: unknown, config: Config, logger: Logger): Promise<unknown> {
  const task = tasks[name]
  if (!task) throw new Error(`There is no task '${name}'`)
  const teardown = new Teardown(logger)
  try {
    const context = await createContext({ config, logger, clock: Date.now }, teardown)
    const isOwn = context.log.kind === 'embedded'
    await enterInstallation(context, {
      startRegistrar: isOwn ? () => startRegistrar(context, teardown) : null,
      onWaiting: null,
    })
    return await task(context, payload)
  } finally {
    await teardown.stop()
  }
}
