import { companyTasks } from './company-tasks.ts'
import { deadLetterTasks } from './dead-letter-tasks.ts'
import { keyTasks } from './key-tasks.ts'
import { leaveDemoTasks } from './leave-demo-tasks.ts'
import { rebuildTasks } from './rebuild-tasks.ts'
import { tokenSecretTasks } from './token-secret-tasks.ts'
import type { Task } from './task.ts'

/** Every task by its name. */
export const tasks: Readonly<Record<string, Task>> = {
  ...companyTasks,
  ...keyTasks,
  ...deadLetterTasks,
  ...rebuildTasks,
  ...tokenSecretTasks,
  ...leaveDemoTasks,
}
