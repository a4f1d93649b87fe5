import { checkerOf } from '../../schema/check.ts'
import { command, type Command } from '../../schema/commands/command-log.ts'

const check = checkerOf(command)

/** Parses a record of commands.v1. Throws if it is not JSON or not a command; the command validates its payload. */
export function parseCommand(value: Buffer): Command {
  const checked = check(JSON.parse(value.toString('utf8')))
  if ('value' in checked) return checked.value
  throw new Error(checked.faults.map(({ message }) => message).join('; '))
}
