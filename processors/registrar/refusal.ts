import { fault, type FaultCode } from '../../schema/errors.ts'
import type { CommandError, Fault } from '../../schema/records.ts'

/** Thrown by a command that can't be done: its outcome. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly error: CommandError

  constructor(status: CommandError['status'], code: string, message: string, errors: readonly Fault[] = []) {
    super(message)
    this.error = { status, code, message, errors }
  }
}

/** More than this many faults help no one. */
const maxFaults = 1000

/** 400 with every fault. */
export function invalid(faults: readonly Fault[], message = 'Validation Error'): Refusal {
  return new Refusal(400, 'ValidationError', message, faults.slice(0, maxFaults))
}

/** 400 with one fault. */
export function invalidField(field: string, code: FaultCode, message: string): Refusal {
  return invalid([fault(field, code, message)])
}

/** 404: the company has no such thing. */
export function missing(message = 'Not Found'): Refusal {
  return new Refusal(404, 'NotFound', message)
}

/** Records of one kind that name another. */
export interface Users {
  /** What one of them is called: `machine`. */
  readonly noun: string
  readonly names: readonly string[]
}

/** Throws 409 where others still name what is to be deleted: tells how many, and the first few. `advice`: what to do instead. */
export function refuseInUse(users: readonly Users[], advice = ''): void {
  const told = users.filter(({ names }) => names.length > 0).map(tellUsers)
  if (told.length > 0) throw new Refusal(409, 'InUse', `In use by ${told.join('; ')}${advice && `; ${advice}`}`)
}

const usersShown = 5

function tellUsers({ noun, names }: Users): string {
  const more = names.length > usersShown ? ` and ${names.length - usersShown} more` : ''
  return `${names.length} ${noun}${names.length === 1 ? '' : 's'}: ${names.slice(0, usersShown).join(', ')}${more}`
}

/** Throws when there are faults. */
export function refuseFaults(faults: readonly Fault[], message?: string): void {
  if (faults.length > 0) throw invalid(faults, message)
}
