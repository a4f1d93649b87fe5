/** The id of the only record of its kind. */
export const installationKey = 'installation'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** How an id is kept: UUIDs in lower case, other ids as they are. */
export function canonicalId(id: string): string {
  return id.length === 36 && uuid.test(id) ? id.toLowerCase() : id
}
