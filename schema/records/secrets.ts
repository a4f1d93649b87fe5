import type { RecordKind } from './record-kinds.ts'

/** Fields of records that are never shown: they give access, or help to guess credentials. */
export const secretFields: Readonly<Partial<Record<RecordKind, readonly string[]>>> = {
  company: ['tokenSecret'],
  key: ['hash'],
  user: ['passwordHash'],
  session: ['id'],
}

/** Text that replaces a secret. */
export const redacted = 'redacted'
