import { Type } from 'typebox'
import * as t from '../types.ts'

/** Secrets of a connector: password, client key and certificate, and the certificate of its own authority. */
export const connectorSecretNames = ['password', 'key', 'certificate', 'ca'] as const
type SecretName = (typeof connectorSecretNames)[number]
type FileField = `${SecretName}File`

/** Secrets in clear text, by name. */
export type ConnectorSecrets = Readonly<Partial<Record<SecretName, string>>>

/** Names of the files of secrets, by field, such as `passwordFile`. */
export type SecretFileNames = Readonly<Partial<Record<FileField, string>>>

/** Limit of a secret as sent, or in a file, in bytes of UTF-8. */
export const maxSecretBytes = 65_536
/** Limit of an encrypted secret: base64 adds a third. */
const maxSealedChars = 100_000

/** Returns the field that names the file of a secret. */
export function fileFieldOf(name: SecretName): FileField {
  return `${name}File`
}

/** The fields that name files of secrets. */
export const secretFileFields = connectorSecretNames.map(fileFieldOf)

/** The fields of the secrets of a connector: texts and names of files. */
export const secretFields = [...connectorSecretNames, ...secretFileFields] as const

/** Returns the secrets that a request contains as texts; `true` stands for a stored one, null for none. */
export function sentSecrets(secrets: Readonly<Record<string, unknown>> | null): ConnectorSecrets {
  return Object.fromEntries(
    connectorSecretNames.flatMap(name => {
      const value = secrets?.[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** Name of a file without folders, which cannot be `.` or `..`, or begin with a dot. */
const fileNameJson = { maxLength: 200, pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]*$' } as const
const fileName = t.described(
  Type.String(fileNameJson),
  'Name of a file with the secret, in the folder of the company in TAKT_CONNECT_SECRETS',
)
const files = { passwordFile: fileName, keyFile: fileName, certificateFile: fileName, caFile: fileName }

const sealed = Type.String({ maxLength: maxSealedChars })

/** Secrets of a record, encrypted or names of files: at most one of each secret. */
export const storedSecrets = t.partial({ password: sealed, key: sealed, certificate: sealed, ca: sealed, ...files })

const kept = { type: ['string', 'boolean', 'null'], not: { const: false } } as const
const secretInput = t.unsafe<string | true | null>({ ...kept, minLength: 1, maxLength: maxSealedChars })
const fileInput = t.unsafe<string | true | null>({ ...kept, ...fileNameJson })

export const connectorSecretsInput = t.named(
  'ConnectorSecretsInput',
  t.partial({
    password: secretInput,
    key: secretInput,
    certificate: secretInput,
    ca: secretInput,
    passwordFile: fileInput,
    keyFile: fileInput,
    certificateFile: fileInput,
    caFile: fileInput,
  }),
)

const stored = t.unsafe<true>({ const: true })
/** Secrets of a response: a stored one is `true`, a file its name. */
export const connectorSecretsResponse = t.named(
  'ConnectorSecrets',
  t.partial({ password: stored, key: stored, certificate: stored, ca: stored, ...files }),
)

const trialSecret = Type.String({ minLength: 1, maxLength: maxSecretBytes })
/** Secrets of a trial. A stored secret is never used: the address of a trial could read it. */
export const trialSecrets = t.named(
  'TrialSecrets',
  t.partial({ password: trialSecret, key: trialSecret, certificate: trialSecret, ca: trialSecret, ...files }),
)
