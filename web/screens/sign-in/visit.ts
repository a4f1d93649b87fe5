import { Client } from '../../data/client.ts'
import { parseLocation } from '../../router/address.ts'

/** A visit of the provider of identities: what it is for, and where in the application it began. */
interface Visit {
  /** Links the signed-in user; without a session, signs in. */
  readonly links: boolean
  readonly path: string
  readonly search: string
}

const storageName = 'takt-visit'

/** Sends the browser to the provider. It comes back to the screen `app/sign-on`. */
export async function visitProvider({ links }: Pick<Visit, 'links'>): Promise<void> {
  const client = new Client(null)
  const { url } = await (links
    ? client.call('POST /session/openid/link/start')
    : client.call('POST /session/openid/start'))
  const { path, query } = parseLocation(location)
  const visit: Visit = { links, path: path === 'app/sign-in' ? '' : path, search: `?${query.toString()}` }
  sessionStorage.setItem(storageName, JSON.stringify(visit))
  location.assign(url)
}

/** The visit that this tab is back from. */
export function consumeVisit(): Visit {
  const stored = sessionStorage.getItem(storageName)
  sessionStorage.removeItem(storageName)
  const none: Visit = { links: false, path: '', search: '' }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written above
  return stored === null ? none : (JSON.parse(stored) as Visit)
}
