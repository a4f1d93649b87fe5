import type { CommandError } from '../../../schema/commands/command-log.ts'
import { type Fault, fault, type FaultCode } from '../../../schema/errors.ts'

/** Thrown by a command that can't be done: its outcome. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly error: CommandError

  constructor(status: CommandError['status'], code: string, message: string, errors: readonly Fault[] = [], more = 0) {
    super(message)
    this.error = { status, code, message, errors, ...(more > 0 && { more }) }
  }
}

/** More than this many faults help no one. */
const maxFaults = 1000

/** 400 with the first thousand faults; `more`: how many others were found. */
export function invalid(faults: readonly Fault[], message = 'Validation Error', more = 0): Refusal {
  const others = more + Math.max(0, faults.length - maxFaults)
  return new Refusal(400, 'ValidationError', message, faults.slice(0, maxFaults), others)
}

/** 400 with one fault. */
export function invalidField(field: string, code: FaultCode, message: string): Refusal {
  return invalid([fault(field, code, message)])
}

/** 404: the company does not have the record. */
export function missing(message = 'Not Found'): Refusal {
  return new Refusal(404, 'NotFound', message)
}

/** Records of one kind that name another. */
export interface Users {
  /** Name of one of them: `machine`. */
  readonly noun: string
  readonly count: number
  /** Names of the first few. */
  readonly names: readonly string[]
}

export function users<T>(noun: string, records: readonly T[], name: (record: T) => string): Users {
  return { noun, count: records.length, names: records.slice(0, usersShown).map(name) }
}

const usersShown = 5

/**
 * Throws 409 if records refer to the record to be deleted, with their number and the first few. `advice`: the
 * alternative.
 */
export function refuseInUse(by: readonly Users[], advice = ''): void {
  const told = by.filter(({ count }) => count > 0).map(tellUsers)
  if (told.length > 0) throw new Refusal(409, 'InUse', `In use by ${told.join('; ')}${advice && `; ${advice}`}`)
}

function tellUsers({ noun, count, names }: Users): string {
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return `${count} ${noun}${count === 1 ? '' : 's'}: ${names.join(', ')}${more}`
}

/** Throws when there are faults. */
export function refuseFaults(faults: readonly Fault[], message?: string): void {
  if (faults.length > 0) throw invalid(faults, message)
}
