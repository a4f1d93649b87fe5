import { createChecker } from '../../schema/check.ts'
import { command, type Command } from '../../schema/commands/command-log.ts'

const check = createChecker(command)

/** Parses a record of commands.v1. Throws if it is not JSON or not a command. It does not validate the payload. */
export function parseCommand(value: Buffer): Command {
  const checked = check(JSON.parse(value.toString('utf8')))
  if ('value' in checked) return checked.value
  throw new Error(checked.errors.map(({ message }) => message).join('; '))
}
