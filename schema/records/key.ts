import * as t from '../types.ts'
import { scopes } from '../scopes.ts'

/** Scopes in a request. */
export const scopesInput = t.list(t.named('Scope', t.oneOf(scopes)), { maxItems: 100 })
/** Scopes in the store, which may include scopes of an older version. */
const storedScopes = t.list({ ...t.text, examples: scopes })

/** An API key. The log contains only the SHA-256 hash of its value, in hex. */
export const key = t.object(
  {
    id: t.text,
    companyId: t.text,
    name: t.name,
    scopes: storedScopes,
    hash: t.sha256,
    createdAt: t.instant,
    /** Since when the key is disabled; null or missing: the key is enabled. */
    disabledAt: t.nullable(t.instant),
  },
  ['disabledAt'],
)
export type KeyRecord = t.Infer<typeof key>
