import { companyTasks } from './company-tasks.ts'
import { deadLetterTasks } from './dead-letter-tasks.ts'
import { keyTasks } from './key-tasks.ts'
import { leaveDemoTasks } from './leave-demo-tasks.ts'
import { logDamageTasks } from './log-damage-tasks.ts'
import { rebuildTasks } from './rebuild-tasks.ts'
import { tokenSecretTasks } from './token-secret-tasks.ts'
import type { Task } from './task.ts'

const all = {
  ...companyTasks,
  ...keyTasks,
  ...deadLetterTasks,
  ...rebuildTasks,
  ...tokenSecretTasks,
  ...leaveDemoTasks,
  ...logDamageTasks,
} as const
type All = typeof all

/** Name of a task, such as `company-list`. */
export type TaskName = keyof All
/** The payload of a task. */
export type TaskPayload<Name extends TaskName> = NonNullable<All[Name]['payload']>
/** The result of a task. */
export type TaskResult<Name extends TaskName> = All[Name] extends Task<infer _, infer Answer> ? Answer : never

/** All tasks by name. */
export const tasks: { readonly [Name in TaskName]: Task<TaskPayload<Name>, TaskResult<Name>> } = all
