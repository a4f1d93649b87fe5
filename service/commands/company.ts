/** Makes companies and gets users into them; `npm run company -- --help` tells how. */
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { roles } from '../../schema/roles.ts'
import type { CompanyLine, Secrets } from '../tasks/company-tasks.ts'
import { readConfig } from '../config.ts'
import { performTask } from './perform-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run company -- <command>

  list                                      every company with its users
  create <name> --admin <email> [--key]     a company with an it_admin; --key: and a key with every scope
  add-user <company> <email> --role <role>  a user of the company (its name or id; left out where there is one company)
                                            roles: ${roles.join(', ')}
  reset-password <email> [--company <name>] a new password for who has lost the old one; the company (its name or id) where
                                            several have a user with this address

A generated password is shown once; change it after signing in. The settings of the service name the log. On the embedded log this
works whether the service runs or not; on Kafka a service with the process role must run.
`

const options = {
  admin: { type: 'string' },
  key: { type: 'boolean', default: false },
  role: { type: 'string' },
  company: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [command, ...names] = positionals
  const [first = '', second = ''] = names
  if (values.help || command === undefined) console.log(usage)
  else if (command === 'list' && names.length === 0) console.log(listed(await perform('list', {})))
  else if (command === 'create' && names.length === 1 && values.admin !== undefined)
    tell(values.admin, await perform('create', { companyName: first, email: values.admin, key: values.key }))
  else if (command === 'add-user' && names.length === 1 && values.role !== undefined)
    tell(first, await perform('add-user', { company: null, email: first, role: values.role }))
  else if (command === 'add-user' && names.length === 2 && values.role !== undefined)
    tell(second, await perform('add-user', { company: first, email: second, role: values.role }))
  else if (command === 'reset-password' && names.length === 1)
    tell(first, await perform('reset-password', { email: first, company: values.company ?? null }))
  else throw new Error(`That is not how it goes.\n\n${usage}`)
}

async function perform(name: string, payload: object): Promise<unknown> {
  const config = readConfig(process.env)
  const logger = pino({ level: config.TAKT_LOG_LEVEL }, pino.destination(2))
  return performTask(`company-${name}`, payload, config, logger)
}

function tell(email: string, answer: unknown): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task answers
  const { companyId, password, key } = answer as Secrets
  const lines = [`Company   ${companyId}`, `Email     ${email}`, `Password  ${password}`]
  if (key !== null) lines.push(`Key       ${key}`)
  console.log([...lines, 'Not shown again: keep it.'].join('\n'))
}

function listed(answer: unknown): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the task answers
  const companies = answer as readonly CompanyLine[]
  if (companies.length === 0) return 'No company yet: the first start of the service makes one.'
  return companies.map(listedCompany).join('\n')
}

function listedCompany({ id, name, users, keys }: CompanyLine): string {
  const lines = users.map(
    ({ email, role, disabled }) => `\n  ${role.padEnd(10)} ${email}${disabled ? ', disabled' : ''}`,
  )
  return `${id}  ${name}, ${keys} ${keys === 1 ? 'key' : 'keys'}${lines.join('')}`
}

runCommand(main)
