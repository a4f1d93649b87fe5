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

/** 409: others still name it. */
export function inUse(message: string): Refusal {
  return new Refusal(409, 'InUse', message)
}

/** Throws when there are faults. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalid(faults)
}
