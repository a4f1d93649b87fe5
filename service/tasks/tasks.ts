import { companyTasks } from './company-tasks.ts'
import { rebuildTasks } from './rebuild-tasks.ts'
import { tokenSecretTasks } from './token-secret-tasks.ts'
import type { Task } from './task.ts'

/** Every task by its name. */
export const tasks: Readonly<Record<string, Task>> = { ...companyTasks, ...rebuildTasks, ...tokenSecretTasks }
