import type { RecordKind } from './record-kinds.ts'

/** Fields of records that nobody is shown: some of them give access, and the others help to guess the ones that do. */
export const secretFields: Readonly<Partial<Record<RecordKind, readonly string[]>>> = {
  company: ['tokenSecret'],
  key: ['hash'],
  user: ['passwordHash'],
  session: ['id'],
}

/** Text that stands in place of a secret. */
export const redacted = 'redacted'
