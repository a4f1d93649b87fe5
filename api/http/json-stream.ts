import type { Response } from 'express'
import { inTurns } from '../in-turns.ts'
import { JsonTexts } from '../json-texts.ts'
import { pour } from './file.ts'

/** About so many characters go out at once. */
const chunkLength = 65_536

/** Whether an answer is, or has, a list that is made item by item. */
export function hasStreamedList(answer: unknown): answer is object {
  if (typeof answer !== 'object' || answer === null) return false
  return isStreamed(answer) || Object.values(answer).some(isStreamed)
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
  yield isStreamed(answer) ? yield* listChunks('', answer) : yield* objectChunks(answer)
}

/** Returns what is left after the last whole piece. */
function* objectChunks(answer: object): Generator<string, string> {
  let text = '{'
  let isFirst = true
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`
    isFirst = false
    text = isStreamed(value) ? yield* listChunks(text, value) : text + JSON.stringify(value)
  }
  return `${text}}`
}

/** The same, after the text so far. */
function* listChunks(before: string, items: JsonTexts): Generator<string, string> {
  let text = before
  let separator = '['
  for (const item of items.make()) {
    text += separator + item
    separator = ','
    if (text.length < chunkLength) continue
    yield text
    text = ''
  }
  return text + (separator === '[' ? '[]' : ']')
}

function isStreamed(value: unknown): value is JsonTexts {
  return value instanceof JsonTexts
}
