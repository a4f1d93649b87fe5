import { createClient, RequestFailed } from './client.js'
import { followStatuses } from './live.js'
import { forgetKey, keepKey, takeKey } from './key.js'
import { createMachineList } from './machines.js'
import { poll } from './poll.js'
import { shopDate } from './shop-date.js'
import { showExample, showToday, todayRequest } from './today.js'

const machinesEveryMs = 1500
/** The whole list is asked for each time: a long one more rarely. */
const longListEveryMs = 5000
const longList = 1000
/** While statuses come by themselves, the list is only asked for who is in it. */
const followedListEveryMs = 30_000
const followAgainMs = 20_000
const todayEveryMs = 15_000
const retryMs = 3000
/** Reports are always a moment behind; more is worth a word. */
const notedLagMs = 5000
let lagMs = 0

const element = id => document.getElementById(id)
const list = createMachineList({
  tiles: element('machines'),
  filters: element('filters'),
  search: element('search'),
  note: element('machines-note'),
})
let stop = () => {}

element('sign-in-form').addEventListener('submit', event => {
  event.preventDefault()
  const key = element('key').value.trim()
  element('key').value = ''
  open(key).catch(reportError)
})
element('sign-out').addEventListener('click', () => close(''))
element('copy').addEventListener('click', () => void navigator.clipboard?.writeText(element('example').textContent))
window.addEventListener('hashchange', start)
start()

function start() {
  const key = takeKey()
  showExample(element('example'), new Date().toISOString().slice(0, 10))
  if (key) open(key).catch(reportError)
  else close('')
}

/** Shows the plant that the key belongs to. */
async function open(key) {
  stop()
  const client = createClient(key, ms => (lagMs = ms))
  try {
    const plant = await loadPlant(client)
    keepKey(key)
    show(plant)
    stop = watch(client, plant, key)
  } catch (error) {
    const isRefused = error instanceof RequestFailed && error.status === 401
    if (isRefused) close(error.message)
    else retry(key)
  }
}

/** The service is away: the key is kept, and tried again. */
function retry(key) {
  setConnection('lost', 'The service does not answer, trying again')
  keepKey(key)
  const timer = setTimeout(() => void open(key), retryMs)
  stop = () => clearTimeout(timer)
}

/** Company, time zone and start of day; without the scope for settings the day begins at midnight. */
async function loadPlant(client) {
  const account = await client.get('accounts/current')
  const settings = await client.get('settings').catch(() => ({}))
  return { name: account.company.name, timeZone: account.company.timeZone, startOfDay: '00:00', ...settings }
}

function show({ name }) {
  element('company').textContent = name
  element('sign-in').hidden = true
  element('plant').hidden = false
  element('sign-out').hidden = false
}

/** Forgets the key and asks for another; `problem` says why. */
function close(problem) {
  stop()
  stop = () => {}
  forgetKey()
  element('company').textContent = ''
  element('sign-in').hidden = false
  element('plant').hidden = true
  element('sign-out').hidden = true
  element('sign-in-problem').textContent = problem
  setConnection('none', '')
}

function watch(client, plant, key) {
  const onFailure = error => {
    if (error instanceof RequestFailed && error.status === 401) close('This key is not valid any more')
    else setConnection('lost', error instanceof RequestFailed ? error.message : 'Connection lost, trying again')
  }
  const stopMachines = watchMachines(client, key, onFailure)
  const stopToday = poll(
    () => todayEveryMs,
    onToday,
    async () => {
      const date = shopDate(new Date(), plant)
      const report = await client.post('reports/production', todayRequest(date))
      showToday(element('today'), report)
      list.updateFigures(report)
      element('today-note').textContent = `Shop day ${date}, ${plant.timeZone}${lagText()}`
      showExample(element('example'), date)
    },
  )
  return () => {
    stopMachines()
    stopToday()
  }
}

/** Asks for the list now and then; its statuses follow by themselves where the live channel is there, else with the list. */
function watchMachines(client, key, onFailure) {
  let ids = []
  let channel = null
  let isOver = false
  let again = null
  let stopList = () => {}

  const everyMs = () => {
    if (channel) return followedListEveryMs
    return ids.length > longList ? longListEveryMs : machinesEveryMs
  }
  const startList = () => {
    stopList()
    stopList = poll(everyMs, onFailure, async () => {
      const machines = await client.get('machines')
      ids = machines.map(({ id }) => id)
      list.update(machines)
      channel?.setMachines(ids)
      setConnection('live', 'Live')
    })
  }
  const follow = async () => {
    // Asked for in vain, a channel is an error in the browser's log.
    const health = await client.get('health').catch(() => null)
    if (isOver || !health?.live) return
    channel = followStatuses(key, {
      onStatus: ({ machineId, status }) => list.setStatus(machineId, status),
      onLost() {
        channel = null
        again = setTimeout(followOn, followAgainMs)
        startList()
      },
    })
    if (ids.length > 0) channel.setMachines(ids)
  }
  const followOn = () => {
    follow().catch(reportError)
  }
  followOn()
  startList()
  return () => {
    isOver = true
    clearTimeout(again)
    channel?.stop()
    stopList()
  }
}

function lagText() {
  return lagMs < notedLagMs ? '' : ' · catching up'
}

function onToday(error) {
  element('today-note').textContent = error instanceof RequestFailed ? error.message : ''
}

function setConnection(state, text) {
  const connection = element('connection')
  // A live region speaks when its text changes: set it only then.
  if (connection.dataset.state === state && connection.textContent === text) return
  connection.dataset.state = state
  connection.textContent = text
}
