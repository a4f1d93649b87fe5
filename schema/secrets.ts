import type { RecordKind } from './records.ts'

/** Fields of records that nobody is shown: with some one could get in, from others one could guess what would. */
export const secretFields: Readonly<Partial<Record<RecordKind, readonly string[]>>> = {
  company: ['tokenSecret'],
  key: ['hash'],
  user: ['passwordHash'],
  session: ['id'],
}

/** What stands in place of a secret. */
export const redacted = 'redacted'
