import type { Channel } from '../../schema/requests/live.ts'
import type { Health } from '../../schema/requests/health.ts'
import { serviceUrl } from '../router/address.ts'
import type { Client } from './client.ts'
import { checkReach, onBack } from './reach.ts'

/** Longest silence until the channel is joined. */
const joinWithinMs = 10_000
const firstRetryMs = 1_000
const maxRetryMs = 20_000

/** A connection to a live channel that comes back by itself. */
export interface LiveChannel {
  setMachines(ids: readonly string[]): void
  close(): void
}

export interface LiveOptions<Update> {
  readonly client: Client
  readonly channel: Channel
  readonly onUpdate: (update: Update) => void
  /** Told whenever it is joined or lost. */
  readonly onJoined: (isJoined: boolean) => void
  /** Sent after each join; without it, `set_machines`. */
  readonly command?: { readonly event: string; readonly data: unknown }
  /** Called when everything that the command requests was sent. */
  readonly onListed?: () => void
}

/** Joins a channel of the service, and joins it again whenever it is lost. */
export function openChannel<Update>(options: LiveOptions<Update>): LiveChannel {
  const { client, channel, onUpdate, onJoined, onListed, command } = options
  let wanted: readonly string[] = []
  let socket: WebSocket | null = null
  let isJoined = false
  let isClosed = false
  let failures = 0
  /** Number of the newest attempt: an older one that is still under way has no say. */
  let newest = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const sendOn = (to: WebSocket | null, event: string, data: unknown) => to?.send(JSON.stringify({ event, data }))
  const lose = (lost: WebSocket | null) => {
    if (isClosed || lost !== socket) return
    clearTimeout(timer)
    socket?.close()
    socket = null
    if (isJoined) {
      onJoined(false)
      checkReach()
    }
    isJoined = false
    timer = setTimeout(start, Math.min(firstRetryMs * 2 ** failures, maxRetryMs))
    failures += 1
  }
  const open = async (run: number) => {
    const isStale = () => isClosed || run !== newest
    // Opened in vain, a connection is an error in the browser's log: the service is asked first.
    const health = await (run === 1 ? firstHealth(client) : client.call('GET /health'))
    if (isStale()) return
    if (health.live === null) {
      timer = setTimeout(start, maxRetryMs)
      return
    }
    const token = await client.token()
    if (isStale()) return
    const address = new URL(`events/machine/${channel}`, serviceUrl)
    address.protocol = address.protocol.replace('http', 'ws')
    const opened = new WebSocket(address)
    socket = opened
    timer = setTimeout(() => lose(opened), joinWithinMs)
    opened.addEventListener('open', () =>
      sendOn(opened, 'join', { token, ...(channel === 'diagnostics' && { stream: 'raw' }) }),
    )
    opened.addEventListener('close', () => lose(opened))
    opened.addEventListener('error', () => lose(opened))
    opened.addEventListener('message', ({ data: text }: { readonly data: string }) => {
      if (opened === socket) receive(opened, text)
    })
  }
  const receive = (from: WebSocket, text: string) => {
    const { event, data }: { readonly event: string; readonly data: Update } = JSON.parse(text)
    if (event === 'update') onUpdate(data)
    else if (event === 'listed') onListed?.()
    // A channel_error may tell that updates are late; where it is fatal, the service closes the connection.
    else if (event === 'channel_join_failure') {
      client.forgetToken()
      lose(from)
    } else if (event === 'channel_join_success') {
      clearTimeout(timer)
      failures = 0
      isJoined = true
      onJoined(true)
      const { event: name, data: request } = command ?? { event: 'set_machines', data: wanted }
      sendOn(from, name, request)
    }
  }
  const start = () => {
    newest += 1
    const run = newest
    open(run).catch(() => {
      if (run === newest) lose(socket)
    })
  }
  const endOnBack = onBack(() => {
    if (socket !== null) return
    clearTimeout(timer)
    failures = 0
    start()
  })
  start()
  return {
    setMachines(ids) {
      if (wanted.length === ids.length && ids.every((id, index) => id === wanted[index])) return
      wanted = ids
      if (isJoined) sendOn(socket, 'set_machines', wanted)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      endOnBack()
      socket?.close()
    },
  }
}

const asking = new WeakMap<Client, Promise<Health>>()

/** Requests the health for the first attempt of a channel: channels that are opened together share the response. */
function firstHealth(client: Client): Promise<Health> {
  const asked = asking.get(client) ?? client.call('GET /health').finally(() => asking.delete(client))
  asking.set(client, asked)
  return asked
}
