import { instant, list, name, named, nullable, object, type Infer, oneOf, sha256, text } from '../types.ts'
import { scopes } from '../scopes.ts'

/** Scopes in a request. */
export const scopesInput = list(named('Scope', oneOf(scopes)), { maxItems: 100 })
/** Scopes in the store, which may include scopes of an older version. */
const storedScopes = list({ ...text, examples: scopes })

/** An API key. The log contains only the SHA-256 hash of its value, in hex. */
export const key = object(
  {
    id: text,
    companyId: text,
    name,
    scopes: storedScopes,
    hash: sha256,
    createdAt: instant,
    /** Since when the key is disabled; null or missing: the key is enabled. */
    disabledAt: nullable(instant),
  },
  ['disabledAt'],
)
export type KeyRecord = Infer<typeof key>
