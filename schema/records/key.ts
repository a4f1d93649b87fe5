import { instant, list, name, named, nullable, object, type Of, oneOf, sha256, text } from '../types.ts'
import { scopes } from '../scopes.ts'

/** Scopes as a caller sends them. */
export const someScopes = list(named('Scope', oneOf(scopes)), { maxItems: 100 })
/** Scopes as stored: those of an older version may be among them. */
const storedScopes = list({ ...text, examples: scopes })

/** An API key; only the SHA-256 of its value is kept, hex. */
export const key = object(
  {
    id: text,
    companyId: text,
    name,
    scopes: storedScopes,
    hash: sha256,
    createdAt: instant,
    /** Since when it opens nothing, for a time or for good; null or missing: it is in use. */
    disabledAt: nullable(instant),
  },
  ['disabledAt'],
)
export type KeyRecord = Of<typeof key>
