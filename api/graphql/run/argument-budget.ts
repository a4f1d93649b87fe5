import { problem } from '../compile/problem.ts'
import type { Selected } from './selection.ts'

/**
 * Maximum number of values in the arguments of an operation, including those of `_in` lists; a variable counts each
 * time that it is used.
 */
const maxValues = 10_000
/** Maximum number of objects and arrays in the arguments of an operation: conditions and sort columns. */
const maxParts = 1_000

/** Limits the arguments of an operation, because they are sent to the store as part of statements. */
export class ArgumentBudget {
  #values = maxValues
  #parts = maxParts

  /** Counts the arguments of a field and of all fields below it; throws a `GraphQLError` if there are too many. */
  countFields(args: Readonly<Record<string, unknown>>, fields: readonly Selected[]): void {
    this.countValues(args)
    for (const field of fields) this.countFields(field.args, field.fields)
  }

  /** Counts values, and the values nested in them; throws a `GraphQLError` if there are too many. */
  countValues(values: Readonly<Record<string, unknown>>): void {
    for (const value of Object.values(values)) this.#countValue(value)
  }

  #countValue(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      if (--this.#values < 0) throw tooMany('values', maxValues)
      return
    }
    if (--this.#parts < 0) throw tooMany('objects and arrays', maxParts)
    for (const each of Object.values(value)) this.#countValue(each)
  }
}

/**
 * Throws a `GraphQLError` if the variables of a request contain more values than its arguments may; they are not
 * coerced to their types yet.
 */
export function rejectLargeVariables(variables: unknown): void {
  if (typeof variables === 'object' && variables !== null) new ArgumentBudget().countValues({ ...variables })
}

function tooMany(what: string, max: number) {
  return problem('node-limit-exceeded', `The arguments of the query have too many ${what}; the maximum is ${max}`)
}
