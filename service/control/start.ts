import type { ServiceContext } from '../context.ts'
import type { Teardown } from '../teardown.ts'
import { serveControl, type ControlHandlers } from './serve.ts'
import { controlSocket } from './socket.ts'
import { tasks } from '../tasks/tasks.ts'

/** Lets the command line ask for tasks, where the log is this process's alone. Without the socket all else still works. */
export async function startControl(context: ServiceContext, teardown: Teardown): Promise<void> {
  const { log, config, logger } = context
  if (log.kind !== 'embedded') return
  const path = controlSocket(config.TAKT_DATA_DIR)
  try {
    const server = await serveControl(path, taskHandlers(context), logger)
    teardown.add('control', () => server.close())
  } catch (error) {
    logger.warn({ err: error, path }, 'commands such as npm run company need the service to be stopped')
  }
}

/** The tasks as a running service does them. */
function taskHandlers(context: ServiceContext): ControlHandlers {
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, payload => task(context, payload)]))
}
