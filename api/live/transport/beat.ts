import type { WebSocket, WebSocketServer } from 'ws'

/** Asks every client whether it is there; who has not answered since the last time is cut off. */
export function beat({ clients }: WebSocketServer, alive: WeakSet<WebSocket>): void {
  for (const webSocket of clients) {
    if (!alive.delete(webSocket)) webSocket.terminate()
    else webSocket.ping()
  }
}
