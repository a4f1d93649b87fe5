import type { Response } from 'express'
import { cooperativeStream } from '../json/cooperative-stream.ts'
import { JsonHash } from '../json/json-hash.ts'
import { JsonList } from '../json/json-list.ts'
import { JsonWriter } from '../json/json-writer.ts'
import { sendText } from './compress.ts'
import { pour } from './file.ts'

/** Whether a response is or contains an array that is written item by item. */
export function hasStreamedList(answer: unknown): answer is object {
  if (typeof answer !== 'object' || answer === null) return false
  return isStreamed(answer) || Object.values(answer).some(isStreamed)
}

/**
 * Sends a response whose arrays are written item by item, at the speed of the caller, so that memory does not grow with
 * the response. Yields to the event loop.
 */
export async function sendStreamed(response: Response, answer: object): Promise<void> {
  const chunks = jsonChunks(answer)
  const first = chunks.next().value ?? ''
  const second = chunks.next()
  response.type('application/json')
  if (second.done === true) {
    await sendText(response, first)
    return
  }
  await pour(cooperativeStream([first, second.value], chunks), response)
}

/** Pure: the text of `JSON.stringify`, with arrays and objects for the streamed parts, in chunks. */
export function* jsonChunks(answer: object): Generator<string> {
  const writer = new JsonWriter()
  for (const _ of isStreamed(answer) ? writeStreamed(writer, answer) : writeObject(writer, answer))
    if (writer.isFull) yield writer.take()
  yield writer.take()
}

function* writeObject(into: JsonWriter, answer: object): Generator<void> {
  let separator = '{'
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue
    into.text(`${separator}${JSON.stringify(name)}:`)
    if (isStreamed(value)) yield* writeStreamed(into, value)
    else into.text(JSON.stringify(value))
    separator = ','
  }
  into.text(separator === '{' ? '{}' : '}')
}

function* writeStreamed(into: JsonWriter, part: JsonList | JsonHash): Generator<void> {
  const [start, end] = part instanceof JsonList ? ['[', ']'] : ['{', '}']
  into.text(start)
  yield* part.write(into)
  into.text(end)
}

function isStreamed(value: unknown): value is JsonList | JsonHash {
  return value instanceof JsonList || value instanceof JsonHash
}
