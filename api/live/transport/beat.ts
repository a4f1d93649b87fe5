import type { WebSocket, WebSocketServer } from 'ws'

/** Pings every client; disconnects those that have not replied to the previous ping. */
export function beat({ clients }: WebSocketServer, alive: WeakSet<WebSocket>): void {
  for (const webSocket of clients) {
    if (!alive.delete(webSocket)) webSocket.terminate()
    else webSocket.ping()
  }
}
