import { count, percent } from './today.js'

const statuses = [
  { status: 'FAULT', title: 'Fault' },
  { status: 'ACTIVE', title: 'Active' },
  { status: 'INACTIVE', title: 'Inactive' },
  { status: 'UNAVAILABLE', title: 'Unavailable' },
]
const titles = Object.fromEntries(statuses.map(({ status, title }) => [status, title]))
const manyMachines = 120

/**
 * The tiles of all machines. Only what changed is touched, and the browser lays out only the tiles in view, so that thousands
 * of machines stay smooth.
 */
export function createMachineList({ tiles, filters, search, note }) {
  const shown = new Map()
  let machines = []
  let byId = new Map()
  let wanted = null
  let changed = null

  const buttons = new Map(
    [{ status: null, title: 'All' }, ...statuses].map(({ status, title }) => [status, filterButton(status, title)]),
  )
  filters.append(...[...buttons.values()].map(({ button }) => button))
  search.addEventListener('input', refilter)

  function filterButton(status, title) {
    const button = document.createElement('button')
    button.type = 'button'
    if (status) button.dataset.status = status
    button.setAttribute('aria-pressed', String(status === wanted))
    button.addEventListener('click', () => {
      wanted = status
      for (const [each, { button }] of buttons) button.setAttribute('aria-pressed', String(each === wanted))
      refilter()
    })
    return { button, title }
  }

  function update(latest) {
    machines = latest
    byId = new Map(machines.map(machine => [machine.id, machine]))
    tiles.classList.toggle('dense', machines.length > manyMachines)
    const gone = new Set(shown.keys())
    for (const [index, machine] of machines.entries()) {
      gone.delete(machine.id)
      place(tileOf(machine), index)
    }
    for (const id of gone) {
      shown.get(id).item.remove()
      shown.delete(id)
    }
    showCounts()
    refilter()
  }

  /** One machine's status has changed. */
  function setStatus(id, status) {
    const machine = byId.get(id)
    if (!machine || machine.status === status) return
    machine.status = status
    tileOf(machine)
    changed ??= requestAnimationFrame(showChanged)
  }

  /** However many changed since the last picture. */
  function showChanged() {
    changed = null
    showCounts()
    refilter()
  }

  function tileOf(machine) {
    let tile = shown.get(machine.id)
    if (!tile) shown.set(machine.id, (tile = createTile()))
    tile.setMachine(machine)
    return tile
  }

  function place({ item }, index) {
    const there = tiles.children[index]
    if (there !== item) tiles.insertBefore(item, there ?? null)
  }

  function updateFigures({ items }) {
    const byMachine = new Map(items.map(({ entity, aggregate }) => [entity.id, aggregate]))
    for (const [id, tile] of shown) tile.setFigures(byMachine.get(id))
  }

  function showCounts() {
    const counts = new Map()
    for (const { status } of machines) counts.set(status, (counts.get(status) ?? 0) + 1)
    for (const [status, { button, title }] of buttons) {
      const number = status ? (counts.get(status) ?? 0) : machines.length
      setText(button, `${title} ${number}`)
    }
  }

  function refilter() {
    const words = search.value.trim().toLowerCase()
    let visible = 0
    for (const { id, name, status } of machines) {
      const isShown = (!wanted || status === wanted) && name.toLowerCase().includes(words)
      if (isShown) visible += 1
      const { item } = shown.get(id)
      if (item.hidden === isShown) item.hidden = !isShown
    }
    setText(note, noteFor(visible))
  }

  function noteFor(visible) {
    if (machines.length === 0) return 'No machines yet. Create one with PUT /machines/:id.'
    return visible === 0 ? 'No machine matches.' : ''
  }

  return { update, updateFigures, setStatus }
}

function createTile() {
  const item = document.createElement('li')
  item.className = 'tile'
  const [name, status, figure] = ['name', 'status', 'figure'].map(part => {
    const span = document.createElement('span')
    span.className = part
    item.append(span)
    return span
  })
  return {
    item,
    setMachine(machine) {
      if (item.dataset.status !== machine.status) item.dataset.status = machine.status
      setText(name, machine.name)
      name.title = machine.name
      setText(status, titles[machine.status] ?? machine.status)
    },
    setFigures(aggregate) {
      setText(figure, aggregate ? percent(aggregate.oee) : '')
      figure.hidden = !aggregate
      figure.title = aggregate ? `${count(aggregate.goodParts)} good parts today` : ''
    },
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}
