/** Makes another API key; `npm run key -- --help` tells how. */
import { type Scope, scopes } from '../../schema/scopes.ts'
import { performTask } from './perform-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run --silent key [-- --name <name>] [--scopes <scope,scope>] [--company <name or id>]

  Makes another API key and prints it. Only its hash is kept: it is not shown again. To have it in the shell:

    export TAKT_ADMIN_KEY=$(npm run --silent key)

  --name <name>           what lists of keys call it; 'Command line' by default
  --scopes <scope,scope>  what it may do; every scope by default. Scopes: ${scopes.join(', ')}
  --company <name or id>  whose key it is; left out where there is one company

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
    if (!scope) throw new Error(`There is no scope '${text.trim()}'; there are ${scopes.join(', ')}`)
    return scope
  })
}

runCommand({ usage, options }, async ({ values, ...deps }) => {
  const payload = {
    company: values.company ?? null,
    name: values.name,
    scopes: values.scopes === undefined ? null : scopesOf(values.scopes),
  }
  const { key } = await performTask('key-create', payload, deps)
  console.log(key)
  if (process.stdout.isTTY) console.error('Not shown again: keep it.')
})
