/** Makes another API key; `npm run key -- --help` tells how. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { scopes } from '../../schema/scopes.ts'
import { readConfig } from '../config.ts'
import type { CreatedKey } from '../tasks/key-tasks.ts'
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
  help: { type: 'boolean', default: false },
} as const

async function main(): Promise<void> {
  const { values } = parseArgs({ options })
  if (values.help) {
    console.log(usage)
    return
  }
  const config = readConfig(process.env)
  const logger = pino({ level: config.TAKT_LOG_LEVEL }, pino.destination(2))
  const payload = {
    company: values.company ?? null,
    name: values.name,
    scopes: values.scopes === undefined ? null : values.scopes.split(',').map(scope => scope.trim()),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task answers
  const { key } = (await performTask('key-create', payload, config, logger)) as CreatedKey
  console.log(key)
  if (process.stdout.isTTY) console.error('Not shown again: keep it.')
}

runCommand(main)
