import type { Command } from '../../schema/records.ts'
import { payloadParser } from './payload.ts'
import { integer, list, longText, nullable, object, oneOf, payloadOf } from './shapes.ts'

const ms = { type: 'integer', minimum: 0, maximum: 8.64e15 }

const parse = payloadParser(
  payloadOf<Command>(
    {
      id: longText,
      deadlineMs: ms,
      nowMs: ms,
      freshIds: list(longText, 100_000),
      companyId: nullable(longText),
      actor: longText,
      by: object({ kind: oneOf(['key', 'user', 'service']), name: longText }, ['kind', 'name']),
      name: longText,
      part: object({ index: integer(0, 100_000), count: integer(1, 100_000) }, ['index', 'count']),
    },
    ['id', 'deadlineMs', 'nowMs', 'freshIds', 'companyId', 'actor', 'name'],
  ),
)

/** A record of commands.v1. Throws where it is no JSON or no command; the payload is checked by the command it names. */
export function parseCommand(value: Buffer): Command {
  return parse(JSON.parse(value.toString('utf8')))
}
