/** Replaces the secret that signs user tokens; `npm run rotate-token-secret -- --help` explains how. */
import { runTask } from './run-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run rotate-token-secret [-- --company <id or name>]

  Creates a new secret for the user tokens of every company, or of one. Every process rejects the tokens that were signed before; keys,
  passwords and sessions stay valid. Do this if the data folder may have been copied.

The settings of the service name the log. On the embedded log this works whether the service runs or not; on Kafka a service with the
process role must run. With TAKT_TOKEN_SECRET_FILE the secret is in that file: write a new one there and restart every process.
`

runCommand({ usage, options: { company: { type: 'string' } } }, async ({ values, ...deps }) => {
  await runTask('token-secret-rotate', { company: values.company ?? null }, deps)
  console.log('Created a new secret for user tokens. Tokens signed before are rejected.')
})
