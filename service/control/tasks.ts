import { companyTasks } from '../commands/company-tasks.ts'
import type { Foundation } from '../start/foundation.ts'
import { rebuildTasks } from '../commands/rebuild-tasks.ts'
import type { ControlHandlers } from './serve.ts'
import type { Task } from './task.ts'

/** Every task by its name. */
export const tasks: Readonly<Record<string, Task>> = { ...companyTasks, ...rebuildTasks }

/** The tasks as a running service does them. */
export function taskHandlers(foundation: Foundation): ControlHandlers {
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, payload => task(foundation, payload)]))
}
