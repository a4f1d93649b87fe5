import type { RecordKind } from './record-kinds.ts'

/** Fields of records that no response contains: they grant access, or help to guess credentials. */
export const secretFields: Readonly<Partial<Record<RecordKind, readonly string[]>>> = {
  company: ['tokenSecret'],
  key: ['hash'],
  user: ['passwordHash'],
  session: ['id'],
  connector: ['secrets'],
}

/** Replacement for a secret in responses. */
export const redacted = 'redacted'
