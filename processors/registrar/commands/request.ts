import { type CommandSpec, companyCommand } from '../deciding/command.ts'
import { CommandRejection } from '../deciding/command-rejection.ts'

/** Rejects a request that the API found invalid, so that the outcome is stored under the request's idempotency key. */
const refuse: CommandSpec = companyCommand('request.refuse', ({ status, code, message, errors, more }) => {
  throw new CommandRejection(status, code, message, errors, more)
})

export const requestCommands = [refuse]
