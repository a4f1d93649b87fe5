import { problem } from '../compile/problem.ts'
import type { Selected } from './selection.ts'

/** Values in the arguments of an operation, those of `_in` lists included; a variable counts wherever it is used. */
const mostValues = 10_000
/** Objects and lists in the arguments of an operation: conditions, and columns to sort by. */
const mostParts = 1_000

/** Bounds the arguments of an operation: statements are made of them, and their values are sent to the store. */
export class ArgumentBudget {
  #values = mostValues
  #parts = mostParts

  /** Takes what is in the arguments of a field and of all below it; throws where it is too much. */
  take(args: Readonly<Record<string, unknown>>, fields: readonly Selected[]): void {
    this.takeAll(args)
    for (const field of fields) this.take(field.args, field.fields)
  }

  /** Takes what is in each of the values. */
  takeAll(values: Readonly<Record<string, unknown>>): void {
    for (const value of Object.values(values)) this.#takeValue(value)
  }

  #takeValue(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      if (--this.#values < 0) throw tooMany('values', mostValues)
      return
    }
    if (--this.#parts < 0) throw tooMany('objects and lists', mostParts)
    for (const each of Object.values(value)) this.#takeValue(each)
  }
}

/** Throws where the variables of a request are more than its arguments may have, before they are read by their types. */
export function refuseLargeVariables(variables: unknown): void {
  if (typeof variables === 'object' && variables !== null) new ArgumentBudget().takeAll({ ...variables })
}

function tooMany(what: string, most: number) {
  return problem('node-limit-exceeded', `The arguments of the query have too many ${what}; ${most} are allowed`)
}
