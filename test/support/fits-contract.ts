import { type Checked, createChecker } from '../../schema/check.ts'
import type { Command, Outcome } from '../../schema/commands/command-log.ts'
import { type CommandName, commands } from '../../schema/commands/commands.ts'

const checks = new Map<string, (value: unknown) => Checked<unknown>>()

/** Throws if the result of a command violates its contract: clients rely on the contract. */
export function mustFitContract({ name }: Pick<Command, 'name'>, outcome: Outcome): void {
  if (!outcome.ok || !isCommandName(name)) return
  let check = checks.get(name)
  if (!check) checks.set(name, (check = createChecker(commands[name].result)))
  const { errors } = check(outcome.result)
  if (errors.length > 0) throw new Error(`${name} answers what its contract does not say: ${JSON.stringify(errors)}`)
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}
