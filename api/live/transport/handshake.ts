import type { IncomingMessage } from 'node:http'
import type { UpgradeRejection } from './server.ts'

type HandshakeRequest = Pick<IncomingMessage, 'method' | 'headers' | 'httpVersion'>

/** Whether a request offers to switch to the WebSocket protocol. Any other `Upgrade` is ignored (RFC 9110, section 7.8). */
export function offersWebSocket({ headers: { upgrade } }: HandshakeRequest): boolean {
  return upgrade !== undefined && tokens(upgrade).includes('websocket')
}

/** Returns why a request is not a complete WebSocket handshake (RFC 6455, section 4.2.1); null: it is complete. */
export function findHandshakeProblem({ method, headers, httpVersion }: HandshakeRequest): UpgradeRejection | null {
  const { connection = '', upgrade = '', host } = headers
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const isHandshake =
    method === 'GET' &&
    httpVersion === '1.1' &&
    host !== undefined &&
    !hasBody &&
    upgrade.toLowerCase() === 'websocket' &&
    tokens(connection).includes('upgrade') &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  if (!isHandshake) return '400 Bad Request'
  return headers['sec-websocket-version'] === '13' ? null : '426 Upgrade Required'
}

function tokens(header: string): readonly string[] {
  return header.split(',').map(token => token.trim().toLowerCase())
}
