/** The token in the payload of `connection_init` or in the header of the upgrade; null: none. */
export function parseToken(payload: unknown, header: string | undefined): string | null {
  const inHeaders = authorizationIn(fieldOf(payload, 'headers'))
  return bearer(inHeaders ?? authorizationIn(payload)) ?? bearer(header)
}

function authorizationIn(fields: unknown): unknown {
  return fieldOf(fields, 'authorization')
}

/** Value of a field, with its name in any letter case. */
function fieldOf(fields: unknown, name: string): unknown {
  if (typeof fields !== 'object' || fields === null) return undefined
  return Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1]
}

const scheme = 'bearer '

function bearer(value: unknown): string | null {
  if (typeof value !== 'string' || value.slice(0, scheme.length).toLowerCase() !== scheme) return null
  return value.slice(scheme.length).trim() || null
}
