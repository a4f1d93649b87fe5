/** Changes the secret that user tokens are signed with; `npm run rotate-token-secret -- --help` tells how. */
import { performTask } from './perform-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run rotate-token-secret [-- --company <id or name>]

  Makes another secret for the user tokens of every company, or of one. Every token signed before is refused from then on, in every
  process; keys, passwords and sessions stay. Do this where somebody may have copied the data folder.

The settings of the service name the log. On the embedded log this works whether the service runs or not; on Kafka a service with the
process role must run. With TAKT_TOKEN_SECRET_FILE the secret is in that file: write another one there and start every process again.
`

runCommand({ usage, options: { company: { type: 'string' } } }, async ({ values, ...deps }) => {
  await performTask('token-secret-rotate', { company: values.company ?? null }, deps)
  console.log('User tokens are signed with another secret; those signed before are refused.')
})
