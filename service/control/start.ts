import type { ServiceContext } from '../context.ts'
import type { Teardown } from '../teardown.ts'
import { serveControl, type ControlHandlers } from './serve.ts'
import { controlSocket } from './socket.ts'
import { tasks } from '../tasks/tasks.ts'

/**
 * Serves the tasks of the command line if this process owns the log. If the socket cannot be opened, the service runs
 * without it.
 */
export async function startControl(context: ServiceContext, teardown: Teardown): Promise<void> {
  const { log, config, logger } = context
  if (log.kind !== 'embedded') return
  const path = controlSocket(config.TAKT_DATA_DIR)
  try {
    const server = await serveControl(path, taskHandlers(context), logger)
    teardown.add('control', () => server.close())
  } catch (error) {
    logger.warn(
      { err: error, path },
      'Failed to open the control socket: stop the service before commands such as npm run company',
    )
  }
}

function taskHandlers(context: ServiceContext): ControlHandlers {
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, payload => task(context, payload)]))
}
