import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { prepareInstallation } from '../installation/prepare-installation.ts'
import { requireInstallation } from '../installation/require-installation.ts'
import { createContext } from '../context.ts'
import { startRegistrar } from '../roles/process.ts'
import { Teardown } from '../teardown.ts'
import { type TaskResult, type TaskName, type TaskPayload, tasks } from '../tasks/tasks.ts'

/** Settings and logger of a command. */
export interface RunTaskDeps {
  readonly config: Config
  readonly logger: Logger
}

/** Opens log and store in this process, runs a task and closes them. Rejects if there is no installation. */
export async function runTaskLocally<Name extends TaskName>(
  name: Name,
  payload: TaskPayload<Name>,
  { config, logger }: RunTaskDeps,
): Promise<TaskResult<Name>> {
  const mayCreate = name === 'company-create'
  requireInstallation(config, mayCreate ? 'installation or empty folder' : 'installation')
  const teardown = new Teardown(logger)
  try {
    const context = await createContext({ config, logger, clock: Date.now }, teardown)
    const isOwn = context.log.kind === 'embedded'
    await prepareInstallation(context, {
      startRegistrar: isOwn ? () => startRegistrar(context, teardown) : null,
      onWaiting: null,
      mayCreate,
    })
    return await tasks[name](context, payload)
  } finally {
    await teardown.stop()
  }
}
