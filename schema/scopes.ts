/** Scopes of keys. A scope implies its `.read` scope. */
export const scopes = [
  'user',
  'erp.read',
  'erp',
  'reporting',
  'machine.read',
  'machine',
  'connector',
  'connector.read',
  'alert',
  'alert.read',
  'incident',
  'incident.read',
  'annotation',
  'annotation.read',
  'part-adjustment',
  'gateway.read',
  'ingest.activity',
  'operator',
  'system.gateway',
  'system.gateway.read',
] as const

export type Scope = (typeof scopes)[number]

/** Whether scopes contain a scope, or one that implies it. */
export function grants(scopes: readonly string[], scope: Scope): boolean {
  return scopes.includes(scope) || (scope.endsWith('.read') && scopes.includes(scope.slice(0, -'.read'.length)))
}
