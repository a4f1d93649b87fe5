import { setMaxListeners } from 'node:events'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import type { GraphqlLimits } from '../../ports/graphql-limits.ts'
import { problem } from '../compile/problem.ts'

/** The memory quota from which a response in progress reserves its memory. */
export interface ResponseMemory {
  /** Reserves bytes until the request ends; returns false if fewer bytes are available. */
  reserve(bytes: number): boolean
}

/** Maximum number of values of a response, per row that the limit allows. */
const valuesPerRow = 20
/** Approximate memory of a value, from the result of the store until the response is sent. */
const bytesPerValue = 50
/** Approximate memory of a character of a text until the response is written. */
const bytesPerChar = 1

const unbounded: ResponseMemory = { reserve: () => true }

type Bounds = Pick<GraphqlLimits, 'rows' | 'responseBytes'>

/**
 * Limits the rows, values and bytes of the response to one request. Each row is counted as often as the response
 * contains it, before it is produced.
 */
export class ResponseBudget {
  readonly #limits: Bounds
  readonly #memory: ResponseMemory
  readonly #exceeded = new AbortController()
  #rowsLeft: number
  #valuesLeft: number
  #charsLeft: number

  constructor(limits: Bounds, memory: ResponseMemory = unbounded) {
    this.#limits = limits
    this.#memory = memory
    this.#rowsLeft = limits.rows
    this.#valuesLeft = limits.rows * valuesPerRow
    this.#charsLeft = limits.responseBytes
    // Every operation of the request adds a listener.
    setMaxListeners(0, this.exceeded)
  }

  /** Aborts with the error of the exceeded limit, which ends all work for the response. */
  get exceeded(): AbortSignal {
    return this.#exceeded.signal
  }

  /** Number of rows that the response may still contain. */
  get rowsLeft(): number {
    return this.#rowsLeft
  }

  /** Counts rows; throws a `GraphQLError` if there are too many. */
  countRows(rows: number): void {
    this.#rowsLeft -= rows
    if (this.#rowsLeft < 0) this.#fail(tooMuch(`${this.#limits.rows} rows`, 'request fewer rows, or set a limit'))
  }

  /** Counts values; throws a `GraphQLError` if there are too many. */
  countValues(values: number): void {
    this.#valuesLeft -= values
    const maxValues = this.#limits.rows * valuesPerRow
    if (this.#valuesLeft < 0) this.#fail(tooMuch(`${maxValues} values`, 'request fewer rows or fields'))
    this.reserve(values * bytesPerValue)
  }

  /** Counts characters of texts, names and punctuation; throws a `GraphQLError` if there are too many. */
  countChars(chars: number): void {
    this.#charsLeft -= chars
    if (this.#charsLeft < 0) this.throwTooLarge()
    this.reserve(chars * bytesPerChar)
  }

  /**
   * Counts the characters of the texts among values and yields to the event loop. `occurrences`: how often the response
   * contains the value at each index; default: once.
   */
  async countTexts(values: Iterable<readonly unknown[]>, occurrences?: readonly number[]): Promise<void> {
    const slice = new TimeSlice()
    for (const some of values) {
      let chars = 0
      for (let i = 0; i < some.length; i++) {
        const value = some[i]
        if (typeof value === 'string') chars += value.length * (occurrences?.[i] ?? 1)
        if (slice.isOver) await slice.next()
      }
      this.countChars(chars)
    }
  }

  /** Reserves memory until the request ends; throws a `GraphQLError` if it is not available. */
  reserve(bytes: number): void {
    if (!this.#memory.reserve(bytes))
      this.#fail(
        problem(
          'rate-limit-exceeded',
          'GraphQL responses of this company have reached their memory limit. Retry later.',
        ),
      )
  }

  /** Throws the error of a response that exceeds the limit of bytes. */
  throwTooLarge(): never {
    this.#fail(tooMuch(`${this.#limits.responseBytes} bytes`, 'request fewer rows or fields'))
  }

  #fail(error: Error): never {
    this.#exceeded.abort(error)
    throw error
  }
}

function tooMuch(bound: string, remedy: string) {
  return problem('row-limit-exceeded', `The response has more than ${bound}: ${remedy}`)
}
