import { type CommandSpec, companyCommand } from '../deciding/command.ts'
import { Refusal } from '../deciding/refusal.ts'

/** The API found a request at fault before it asked for a change: its answer is kept under the request's key. Refuses with it. */
const refuse: CommandSpec = companyCommand('request.refuse', ({ status, code, message, errors, more }) => {
  throw new Refusal(status, code, message, errors, more)
})

export const requestCommands = [refuse]
