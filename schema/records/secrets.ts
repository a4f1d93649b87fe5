import type { RecordKind, RecordKinds } from './record-kinds.ts'

type SecretName = 'tokenSecret' | 'hash' | 'passwordHash' | 'secrets'
type KindWithSecret = {
  [K in RecordKind]: Extract<keyof RecordKinds[K], SecretName> extends never ? never : K
}[RecordKind]

/** Fields of records that no response contains: they grant access, or help to guess credentials. */
export const secretFields: Readonly<
  Record<KindWithSecret, readonly string[]> & Partial<Record<RecordKind, readonly string[]>>
> = {
  company: ['tokenSecret'],
  key: ['hash'],
  user: ['passwordHash'],
  session: ['id'],
  connector: ['secrets'],
  alertTarget: ['secrets'],
}

/** Replacement for a secret in responses. */
export const redacted = 'redacted'
