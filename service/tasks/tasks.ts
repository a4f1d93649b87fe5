import { companyTasks } from './company-tasks.ts'
import type { ServiceContext } from '../context.ts'
import { rebuildTasks } from './rebuild-tasks.ts'
import type { ControlHandlers } from '../control/serve.ts'
import type { Task } from './task.ts'

/** Every task by its name. */
export const tasks: Readonly<Record<string, Task>> = { ...companyTasks, ...rebuildTasks }

/** The tasks as a running service does them. */
export function taskHandlers(context: ServiceContext): ControlHandlers {
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, payload => task(context, payload)]))
}
