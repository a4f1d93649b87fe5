import { WorkSlice } from '../../../shared/async/work-slice.ts'
import type { GraphqlLimits } from '../../ports/graphql-limits.ts'
import { problem } from '../compile/problem.ts'

/** Room in memory for answers under way. */
export interface AnswerRoom {
  /** Takes so many bytes until the request is over; false: there are not so many. */
  take(bytes: number): boolean
}

/** Values of an answer for each row that it may have. */
const valuesPerRow = 20
/** Memory of one value from the store's answer to the text that is sent, about. */
const bytesPerValue = 100
/** Memory of one character of a text, as it is read and as it is sent. */
const bytesPerChar = 3

const unbounded: AnswerRoom = { take: () => true }

/** Bounds the answer of one operation: its rows, the values in them, and their texts. */
export class AnswerBudget {
  readonly #limits: Pick<GraphqlLimits, 'rows' | 'answerChars'>
  readonly #room: AnswerRoom
  #rowsLeft: number
  #valuesLeft: number
  #charsLeft: number

  constructor(limits: Pick<GraphqlLimits, 'rows' | 'answerChars'>, room: AnswerRoom = unbounded) {
    this.#limits = limits
    this.#room = room
    this.#rowsLeft = limits.rows
    this.#valuesLeft = limits.rows * valuesPerRow
    this.#charsLeft = limits.answerChars
  }

  /** Rows that may still come. */
  get left(): number {
    return this.#rowsLeft
  }

  /** Throws where the rows are more than may come. */
  take(rows: number): void {
    this.#rowsLeft -= rows
    if (this.#rowsLeft < 0) throw tooMuch(`${this.#limits.rows} rows; ask for less, or with a limit`)
  }

  /** Throws where the values are more than may come: an alias gives a value once more. */
  takeValues(values: number): void {
    this.#valuesLeft -= values
    if (this.#valuesLeft < 0) throw tooMuch(`${this.#limits.rows * valuesPerRow} values; ask for fewer rows or fields`)
    this.#takeRoom(values * bytesPerValue)
  }

  /** Throws where the texts and names are longer than may come, all together. */
  takeChars(chars: number): void {
    this.#charsLeft -= chars
    if (this.#charsLeft < 0) throw tooMuch(`${this.#limits.answerChars} characters; ask for fewer rows or fields`)
    this.#takeRoom(chars * bytesPerChar)
  }

  /** Takes the texts among the values, in turns. */
  async takeTexts(values: Iterable<readonly unknown[]>): Promise<void> {
    const slice = new WorkSlice()
    for (const some of values) {
      let chars = 0
      for (const value of some) {
        if (typeof value === 'string') chars += value.length
        if (slice.isOver) await slice.next()
      }
      this.takeChars(chars)
    }
  }

  #takeRoom(bytes: number): void {
    if (!this.#room.take(bytes))
      throw problem('rate-limit-exceeded', 'Answers of this company take all the memory that they may now; ask again')
  }
}

function tooMuch(bound: string) {
  return problem('row-limit-exceeded', `The answer has more than ${bound}`)
}
