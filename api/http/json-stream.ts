import type { Response } from 'express'
import { inTurns } from '../in-turns.ts'
import { JsonTexts } from '../json-texts.ts'
import { pour } from './file.ts'

/** About so many characters go out at once. */
const chunkLength = 65_536

/** Whether an answer has a list that is made item by item. */
export function hasStreamedList(answer: unknown): answer is object {
  return (
    typeof answer === 'object' && answer !== null && Object.values(answer).some(value => value instanceof JsonTexts)
  )
}

/**
 * Sends an answer whose lists are made item by item: the next only when the caller has taken those before, so that memory doesn't
 * grow with the answer. In between, others get their turn.
 */
export async function sendStreamed(response: Response, answer: object): Promise<void> {
  const chunks = jsonChunks(answer)
  const first = chunks.next().value ?? ''
  const second = chunks.next()
  response.type('application/json')
  if (second.done === true) {
    response.send(first)
    return
  }
  await pour(inTurns([first, second.value], chunks), response)
}

/** Pure: the same text as of `JSON.stringify` with arrays for the lists, in pieces. */
export function* jsonChunks(answer: object): Generator<string> {
  let text = '{'
  let isFirst = true
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`
    isFirst = false
    if (!(value instanceof JsonTexts)) {
      text += JSON.stringify(value)
      continue
    }
    let separator = '['
    for (const item of value.make()) {
      text += separator + item
      separator = ','
      if (text.length < chunkLength) continue
      yield text
      text = ''
    }
    text += separator === '[' ? '[]' : ']'
  }
  yield `${text}}`
}
