/** Creates an API key; `npm run key -- --help` explains how. */
import { type Scope, scopes } from '../../schema/scopes.ts'
import { runTask } from './run-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run --silent key [-- --name <name>] [--scopes <scope,scope>] [--company <name or id>]

  Creates an API key and prints it. Only its hash is stored: the key is not shown again. To store it in the shell:

    export TAKT_ADMIN_KEY=$(npm run --silent key)

  --name <name>           name in lists of keys; 'Command line' by default
  --scopes <scope,scope>  allowed scopes; every scope by default. Scopes: ${scopes.join(', ')}
  --company <name or id>  company of the key; optional if there is one company

On the embedded log this works whether the service runs or not; on Kafka a service with the process role must run.
`

const options = {
  name: { type: 'string', default: 'Command line' },
  scopes: { type: 'string' },
  company: { type: 'string' },
} as const

function scopesOf(list: string): readonly Scope[] {
  return list.split(',').map(text => {
    const scope = scopes.find(known => known === text.trim())
    if (!scope) throw new Error(`Unknown scope '${text.trim()}': use one of ${scopes.join(', ')}`)
    return scope
  })
}

runCommand({ usage, options }, async ({ values, ...deps }) => {
  const payload = {
    company: values.company ?? null,
    name: values.name,
    scopes: values.scopes === undefined ? null : scopesOf(values.scopes),
  }
  const { key } = await runTask('key-create', payload, deps)
  console.log(key)
  if (process.stdout.isTTY) console.error('Not shown again: store it.')
})
