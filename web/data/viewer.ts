import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { CompanySettings } from '../../schema/records/company.ts'
import type { ScheduleResponse } from '../../schema/records/schedule.ts'
import type { Thresholds } from '../../schema/records/thresholds.ts'
import { managingRoles, type Role } from '../../schema/roles.ts'
import type { Scope } from '../../schema/scopes.ts'
import type { Texts } from '../texts/en.ts'
import { Client, RequestFailed } from './client.ts'

/** The current user or key, with its permissions. */
export interface Viewer {
  readonly client: Client
  readonly kind: 'user' | 'key'
  /** null: a key. */
  readonly userId: string | null
  readonly name: string
  readonly email: string | null
  readonly role: Role | null
  readonly hasPassword: boolean
  readonly isLinked: boolean
  readonly scopes: readonly string[]
  readonly company: { readonly id: string; readonly name: string; readonly timeZone: string }
  /** `HH:mm` */
  readonly startOfDay: string
  /** 1 = Monday … 7 = Sunday. */
  readonly firstDayOfWeek: number
  readonly thresholds: Thresholds | null
  readonly schedules: readonly ScheduleResponse[]
  readonly callKinds: CompanySettings['callKinds']
  /** Share of the simulated history that was generated. */
  readonly historyShare: number
}

const keyItem = 'takt-key'
const signedInItem = 'takt-signed-in'
/** The key of this tab could read the settings when the page was opened before. */
const readsSettingsItem = 'takt-key-reads-settings'

/** Whether the viewer has the scope, or one that includes it. */
export function hasScope({ scopes }: Viewer, scope: Scope): boolean {
  return scopes.includes(scope) || (scope.endsWith('.read') && scopes.includes(scope.slice(0, -'.read'.length)))
}

/** Whether the viewer manages keys and users. */
export function manages({ role }: Viewer): boolean {
  return role !== null && managingRoles.includes(role)
}

/** Names of the company's kinds of calls, by id: those that every company has at first in the language of the user. */
export function callNamesOf({ callKinds }: Viewer, t: Texts): ReadonlyMap<string, string> {
  return new Map(callKinds.map(({ id, name }) => [id, t.now.callKinds[name] ?? name]))
}

/** Whether this browser has a key or a session, which may have ended. */
export function hasCredentials(): boolean {
  return readKey() !== null || localStorage.getItem(signedInItem) !== null
}

/** The key from the address (`#key=…`, which is taken out of it), or the one that this tab keeps; null: none. */
function readKey(): string | null {
  const fromHash = new URLSearchParams(location.hash.slice(1)).get('key')
  if (fromHash !== null && fromHash !== '') {
    history.replaceState(null, '', location.pathname + location.search)
    storeKey(fromHash)
  }
  return sessionStorage.getItem(keyItem)
}

/** Whether a change of the browser's storage means a sign-in or sign-out in another tab. */
export function isSessionEvent({ key }: StorageEvent): boolean {
  return key === signedInItem
}

/** Keeps a key for as long as this tab is open. */
export function storeKey(key: string): void {
  sessionStorage.removeItem(readsSettingsItem)
  sessionStorage.setItem(keyItem, key)
}

/** Notes that the browser has the cookie of a session, which scripts cannot see. */
export function noteSignedIn(): void {
  sessionStorage.removeItem(keyItem)
  localStorage.setItem(signedInItem, 'yes')
}

/** Forgets what the service refused: the key of this tab, or else the session of this browser. */
export function forget({ key }: Pick<Client, 'key'>): void {
  sessionStorage.removeItem(keyItem)
  if (key === null) localStorage.removeItem(signedInItem)
}

/** Ends the session, or removes the key: then a session of this browser applies. Rejects if the session did not end. */
export async function signOut({ kind, client }: Viewer): Promise<void> {
  if (kind === 'key') return sessionStorage.removeItem(keyItem)
  await client.call('DELETE /session').catch((error: unknown) => {
    // A session that is no longer valid has ended, too.
    if (!isRefusal(error)) throw error
  })
  forget(client)
}

function isRefusal(error: unknown): boolean {
  return error instanceof RequestFailed && error.status === 401
}

/** The viewer, with the settings of the company as they are now. */
export async function refreshed(viewer: Viewer): Promise<Viewer> {
  return viewer.kind === 'user' ? readUser(viewer.client) : readKeyHolder(viewer.client)
}

/** The user of the key or session; null: none. Rejects if the service does not respond, or by the signal. */
export async function recognise(signal: AbortSignal): Promise<Viewer | null> {
  const key = readKey()
  // Asking without a session would be an error in the browser's log.
  if (key === null && localStorage.getItem(signedInItem) === null) return null
  const client = new Client(key)
  try {
    return await aborting(signal, key === null ? readUser(client) : readKeyHolder(client))
  } catch (error) {
    if (signal.aborted || !isRefusal(error)) throw error
    forget(client)
    // A session of this browser counts without the key.
    return key === null ? null : recognise(signal)
  }
}

/** Settles as the work does, or rejects at once when the signal is aborted. */
function aborting<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    work.then(resolve, reject)
  })
}

async function readUser(client: Client): Promise<Viewer> {
  const [{ user, company, scopes }, settings, historyShare] = await Promise.all([
    client.call('GET /session'),
    settingsFor(client),
    readHistoryShare(client),
  ])
  const { displayName: name, email, role, hasPassword, identity } = user
  const isLinked = identity !== null
  return {
    client,
    kind: 'user',
    userId: user.id,
    name,
    email,
    role,
    hasPassword,
    isLinked,
    scopes,
    company: known(company),
    ...settings,
    historyShare,
  }
}

const noUser = { kind: 'key', userId: null, email: null, role: null, hasPassword: false, isLinked: false } as const

async function readKeyHolder(client: Client): Promise<Viewer> {
  // A request without the scope would be an error in the browser's log.
  const couldRead = sessionStorage.getItem(readsSettingsItem) !== null
  const early = couldRead ? settingsFor(client).catch(() => null) : null
  const earlyShare = couldRead ? readHistoryShare(client) : null
  const { displayName: name, company, scopes } = await client.call('GET /accounts/current')
  const isAllowed = scopes.includes('machine') || scopes.includes('machine.read')
  if (isAllowed) sessionStorage.setItem(readsSettingsItem, 'yes')
  else sessionStorage.removeItem(readsSettingsItem)
  const [settings, historyShare] = await Promise.all([
    isAllowed
      ? Promise.resolve(early).then(read => read ?? settingsFor(client))
      : { startOfDay: company.startOfDay, firstDayOfWeek: 1, thresholds: null, schedules: [], callKinds: [] },
    isAllowed || scopes.includes('reporting') ? (earlyShare ?? readHistoryShare(client)) : 1,
  ])
  return { ...noUser, client, name, scopes, company: known(company), ...settings, historyShare }
}

/** The share of the simulated history that was generated; 1 if it cannot be read: the screens show by themselves that the service fails. */
function readHistoryShare(client: Client): Promise<number> {
  return client.call('GET /demo').then(
    ({ complete }) => complete,
    () => 1,
  )
}

/** A company in a time zone that this browser knows: in UTC where it does not, as some name zones otherwise. */
function known(company: Viewer['company']): Viewer['company'] {
  try {
    Intl.DateTimeFormat('en', { timeZone: company.timeZone })
    return company
  } catch {
    return { ...company, timeZone: 'UTC' }
  }
}

async function settingsFor(
  client: Client,
): Promise<Pick<Viewer, 'startOfDay' | 'firstDayOfWeek' | 'thresholds' | 'schedules' | 'callKinds'>> {
  const [{ startOfDay, firstDayOfWeek, thresholds, callKinds }, schedules] = await Promise.all([
    client.call('GET /settings'),
    client.call('GET /schedules'),
  ])
  return { startOfDay, firstDayOfWeek, thresholds, schedules, callKinds }
}

export const ViewerContext = createContext<Viewer | null>(null)

/** The current user or key; available only to screens behind the sign-in. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext)
  if (viewer === null) throw new Error('Component outside of ViewerContext')
  return viewer
}
