/** Creates companies and their users; `npm run company -- --help` explains how. */
import { type Role, roles } from '../../schema/roles.ts'
import type { CompanyLine, Secrets } from '../tasks/company-tasks.ts'
import { runTask } from './run-task.ts'
import { runCommand } from './run-command.ts'

const usage = `npm run company -- <command>

  list                                      every company with its users
  create <name> --admin <email> [--key]     a company with an it_admin; --key: and a key with every scope
  add-user <company> <email> --role <role>  a user of the company (its name or id; optional if there is one company)
                                            roles: ${roles.join(', ')}
  reset-password <email> [--company <name>] a new password for a user; name the company (its name or id) if several
                                            have a user with this address

A generated password is shown once; change it after signing in. The settings of the service name the log. On the embedded log this
works whether the service runs or not; on Kafka a service with the process role must run.
`

const options = {
  admin: { type: 'string' },
  key: { type: 'boolean', default: false },
  role: { type: 'string' },
  company: { type: 'string' },
} as const

runCommand({ usage, options, allowPositionals: true }, async ({ values, positionals, ...deps }) => {
  const [command, ...names] = positionals
  const [first = '', second = ''] = names
  if (command === undefined) console.log(usage)
  else if (command === 'list' && names.length === 0) console.log(listed(await runTask('company-list', {}, deps)))
  else if (command === 'create' && names.length === 1 && values.admin !== undefined)
    print(
      values.admin,
      await runTask('company-create', { companyName: first, email: values.admin, key: values.key }, deps),
    )
  else if (command === 'add-user' && names.length === 1 && values.role !== undefined)
    print(first, await runTask('company-add-user', { company: null, email: first, role: roleOf(values.role) }, deps))
  else if (command === 'add-user' && names.length === 2 && values.role !== undefined)
    print(second, await runTask('company-add-user', { company: first, email: second, role: roleOf(values.role) }, deps))
  else if (command === 'reset-password' && names.length === 1)
    print(first, await runTask('company-reset-password', { email: first, company: values.company ?? null }, deps))
  else throw new Error(`Invalid arguments.\n\n${usage}`)
})

function roleOf(text: string): Role {
  const role = roles.find(known => known === text)
  if (!role) throw new Error(`Unknown role '${text}': use one of ${roles.join(', ')}`)
  return role
}

function print(email: string, { companyId, password, key }: Secrets): void {
  const lines = [`Company   ${companyId}`, `Email     ${email}`, `Password  ${password}`]
  if (key !== null) lines.push(`Key       ${key}`)
  console.log([...lines, 'Not shown again: store it.'].join('\n'))
}

function listed(companies: readonly CompanyLine[]): string {
  if (companies.length === 0) return 'No company yet: the first start of the service creates one.'
  return companies.map(listedCompany).join('\n')
}

function listedCompany({ id, name, users, keys }: CompanyLine): string {
  const lines = users.map(
    ({ email, role, disabled }) => `\n  ${role.padEnd(10)} ${email}${disabled ? ', disabled' : ''}`,
  )
  return `${id}  ${name}, ${keys} ${keys === 1 ? 'key' : 'keys'}${lines.join('')}`
}
