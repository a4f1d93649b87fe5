import * as t from '../types.ts'

/** The schemas of a command's payload and result. */
export interface Contract<P extends t.Schema, R extends t.Schema> {
  readonly payload: P
  readonly result: R
}

/** Declares the schemas of a command's payload and result. The registrar rejects an invalid payload. */
export function command<P extends t.Schema, R extends t.Schema>(payload: P, result: R): Contract<P, R> {
  return { payload, result }
}

/**
 * Declares `<kind>.put`, which creates or replaces a record. `body` is the request body: the payload without the id.
 */
export function putCommand<
  P extends t.Properties,
  Id extends t.Properties,
  R extends t.Schema,
  O extends keyof Id & string = never,
>(body: t.ObjectSchema<P>, id: Id, result: R, optional: readonly O[] = []) {
  return { ...command(t.extendObject(body, id, optional), result), body }
}

/**
 * Declares a command whose payload is an array. Each element is a separate record of the log, because the array may be
 * too large for one record; the registrar executes the command atomically.
 */
export function chunkedCommand<P extends t.Schema, R extends t.Schema>(payload: P, result: R) {
  return { ...command(payload, result), isChunked: true }
}

/** Payload of the commands that delete a record. */
export const idOnly = t.object({ id: t.id })
