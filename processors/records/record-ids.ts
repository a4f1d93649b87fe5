/** The id of the only record of its kind. */
export const installationKey = 'installation'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns an id in its stored form: UUIDs in lower case, other ids unchanged. */
export function canonicalId(id: string): string {
  return id.length === 36 && uuid.test(id) ? id.toLowerCase() : id
}
