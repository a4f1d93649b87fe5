import { Type } from 'typebox'
import { checkerOf } from '../../schema/check.ts'
import type { Command } from '../../schema/records.ts'
import { integer, list, longText, nullable, object, oneOf, sha256, unsafe } from '../../schema/types.ts'

const ms = Type.Integer({ minimum: 0, maximum: 8.64e15 })

const check = checkerOf(
  object(
    {
      id: longText,
      deadlineMs: ms,
      nowMs: ms,
      freshIds: list(longText, { maxItems: 100_000 }),
      companyId: nullable(longText),
      actor: longText,
      by: object({ kind: oneOf(['key', 'user', 'service']), name: longText }),
      name: longText,
      payload: unsafe<unknown>({}),
      repeat: object({ key: sha256, body: sha256 }),
      chunk: object({ index: integer(0, 100_000), count: integer(1, 100_000) }),
    },
    ['by', 'payload', 'repeat', 'chunk'],
  ),
)

/** A record of commands.v1. Throws where it is no JSON or no command; the payload is checked by the command it names. */
export function parseCommand(value: Buffer): Command {
  const checked = check(JSON.parse(value.toString('utf8')))
  if ('value' in checked) return { payload: undefined, ...checked.value }
  throw new Error(checked.faults.map(({ message }) => message).join('; '))
}
