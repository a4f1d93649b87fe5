const quietMs = 10_000

/**
 * Follows the statuses of machines over a WebSocket. `onStatus` is told each one, `onLost` once where the channel can't be had or
 * is lost; then it is for the caller to go another way. Returns the machines' setter and what ends it.
 */
export function followStatuses(key, { onStatus, onLost }) {
  const address = new URL('events/machine/status', location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  address.hash = ''
  const socket = new WebSocket(address)
  let wanted = null
  let isJoined = false
  let isOver = false

  const send = (event, data) => socket.send(JSON.stringify({ event, data }))
  const end = () => {
    if (isOver) return
    isOver = true
    clearTimeout(late)
    socket.close()
  }
  const lose = () => {
    if (isOver) return
    end()
    onLost()
  }
  const late = setTimeout(lose, quietMs)
  socket.addEventListener('open', () => send('join', { token: key }))
  socket.addEventListener('close', lose)
  socket.addEventListener('error', lose)
  socket.addEventListener('message', ({ data: text }) => {
    const { event, data } = JSON.parse(text)
    if (isOver) return
    if (event === 'update') onStatus(data)
    if (event === 'channel_join_failure') lose()
    if (event === 'channel_join_success') {
      isJoined = true
      clearTimeout(late)
      if (wanted) send('set_machines', wanted)
    }
  })
  return {
    /** The ids of the machines to follow. */
    setMachines(ids) {
      if (wanted && wanted.length === ids.length && ids.every((id, index) => id === wanted[index])) return
      wanted = ids
      if (isJoined && !isOver) send('set_machines', wanted)
    },
    stop: end,
  }
}
