import { checkerOf } from '../../schema/check.ts'
import { command, type Command } from '../../schema/commands/command-log.ts'

const check = checkerOf(command)

/** A record of commands.v1. Throws where it is no JSON or no command; the payload is checked by the command it names. */
export function parseCommand(value: Buffer): Command {
  const checked = check(JSON.parse(value.toString('utf8')))
  if ('value' in checked) return checked.value
  throw new Error(checked.faults.map(({ message }) => message).join('; '))
}
