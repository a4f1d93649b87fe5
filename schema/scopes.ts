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
