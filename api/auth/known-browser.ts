import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { noPassword, type UserRecord } from '../../schema/records/user.ts'

/**
 * An entry of the cookie that identifies a browser in which users have signed in: `<user id>.<random id>.<MAC>`. The
 * key of the MAC is the hash of the user's password, which contains a random salt: no other secret has to be stored or
 * shared by processes, and a new password invalidates the entry.
 */
interface Entry {
  readonly userId: string
  /** Identifies the browser for this user. */
  readonly browserId: string
  readonly text: string
}

/** Maximum number of users per browser, for shared terminals. */
const maxEntries = 5
const separator = '~'
const pattern = /^([0-9a-f-]{36})\.([\w-]{22})\.([\w-]{43})$/

/** The id of the browser if one of these users has signed in there with the current password; otherwise null. */
export function knownBrowser(cookie: string | undefined, users: readonly UserRecord[]): string | null {
  for (const { userId, browserId, text } of entriesOf(cookie)) {
    const user = users.find(({ id }) => id === userId)
    if (user !== undefined && isSame(text, entryText(user, browserId))) return browserId
  }
  return null
}

/** The cookie with an entry for a user who has just signed in, in front of those of other users. */
export function withKnownUser(cookie: string | undefined, user: UserRecord): string {
  const browserId = knownBrowser(cookie, [user]) ?? randomBytes(16).toString('base64url')
  const others = entriesOf(cookie).filter(({ userId }) => userId !== user.id)
  const texts = [entryText(user, browserId), ...others.map(({ text }) => text)]
  return texts.slice(0, maxEntries).join(separator)
}

function entriesOf(cookie: string | undefined): readonly Entry[] {
  if (cookie === undefined) return []
  return cookie
    .split(separator, maxEntries)
    .map(text => ({ text, match: pattern.exec(text) }))
    .flatMap(({ text, match }) =>
      match?.[1] === undefined || match[2] === undefined ? [] : [{ userId: match[1], browserId: match[2], text }],
    )
}

function entryText({ id, passwordHash }: UserRecord, browserId: string): string {
  const key = passwordHash === noPassword ? randomBytes(32) : passwordHash
  const mac = createHmac('sha256', key).update(`known browser ${id} ${browserId}`).digest('base64url')
  return `${id}.${browserId}.${mac}`
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
