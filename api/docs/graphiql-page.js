// GraphiQL with a pasted key, or with a token of the signed-in user.
const { React, ReactDOM, GraphiQL } = window
const place = 'takt-graphql-key'
const state = document.querySelector('#state')
const field = document.querySelector('#key')
const start = `# The machines in service, with what they do now.
{
  machines(where: { decommissionedAt: { _is_null: true } }, order_by: { name: asc }) {
    name
    currentStates(where: { metricKey: { _in: ["status", "execution"] } }) {
      metricKey
      value
      startAt
    }
  }
}
`

let token = sessionStorage.getItem(place)
let isOfUser = false

function show(text) {
  state.textContent = text
}

/** Requests a token of the signed-in user, if there is one. */
async function takeUserToken() {
  const response = await fetch('/user-token?graphql=1', { headers: { accept: 'application/json' } })
  const found = await response.json()
  if (!response.ok) return false
  token = found
  isOfUser = true
  show('Using the session of the signed-in user')
  return true
}

async function post(parameters, headers) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(parameters),
  })
  return response.json()
}

function isRefused(answer) {
  return answer.errors?.some(({ extensions }) => extensions?.code === 'invalid-jwt') ?? false
}

async function ask(parameters, headers) {
  const answer = await post(parameters, headers)
  // A user's token lasts an hour.
  return isRefused(answer) && isOfUser && (await takeUserToken()) ? post(parameters, headers) : answer
}

/** A subscription in the form that GraphiQL expects: an object with `subscribe`. */
function subscribe(parameters) {
  return {
    subscribe(observer) {
      const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws')
      const send = message => socket.send(JSON.stringify(message))
      socket.addEventListener('open', () =>
        send({ type: 'connection_init', payload: token ? { Authorization: `Bearer ${token}` } : {} }),
      )
      socket.addEventListener('message', ({ data }) => {
        const { type, payload } = JSON.parse(data)
        if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: parameters })
        if (type === 'ping') send({ type: 'pong' })
        if (type === 'next') observer.next(payload)
        if (type === 'error') observer.error(payload)
        if (type === 'complete') observer.complete()
      })
      socket.addEventListener('close', ({ code, reason }) => {
        if (code !== 1000) observer.error({ errors: [{ message: reason || `Connection closed with ${code}` }] })
      })
      return { unsubscribe: () => socket.close(1000) }
    },
  }
}

/** Whether the requested operation is a subscription. */
function isSubscription({ query, operationName }, { documentAST } = {}) {
  // The editor processes input after a pause: a query that runs earlier has only the text.
  if (documentAST?.loc?.source.body !== query) return /^[ \t]*subscription\b/m.test(query)
  const operations = documentAST.definitions.filter(({ kind }) => kind === 'OperationDefinition')
  const asked = operations.find(({ name }) => name?.value === operationName) ?? operations[0]
  return asked?.operation === 'subscription'
}

const page = ReactDOM.createRoot(document.querySelector('#graphiql'))
let shown = 0

/** Renders the editor again, so that it reads the schema with the token. */
function render() {
  const fetcher = (parameters, options) =>
    isSubscription(parameters, options) ? subscribe(parameters) : ask(parameters, options?.headers)
  // Without a token the schema is not requested: the page would begin with an error.
  const withoutSchema = token ? {} : { schema: null }
  page.render(React.createElement(GraphiQL, { key: ++shown, fetcher, defaultQuery: start, ...withoutSchema }))
}

document.querySelector('#access').addEventListener('submit', event => {
  event.preventDefault()
  token = field.value.trim()
  isOfUser = false
  field.value = ''
  sessionStorage.setItem(place, token)
  show('Using the API key')
  render()
})

if (token) show('Using the API key')
else await takeUserToken()
render()
