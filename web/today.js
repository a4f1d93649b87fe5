const figures = [
  { metric: 'oee', title: 'OEE', hint: 'availability × performance × quality', isRatio: true },
  { metric: 'availability', title: 'Availability', hint: 'in cycle, of scheduled time', isRatio: true },
  { metric: 'performance', title: 'Performance', hint: 'parts, of those ideally made', isRatio: true },
  { metric: 'quality', title: 'Quality', hint: 'good parts, of all', isRatio: true },
  { metric: 'goodParts', title: 'Good parts', hint: 'reported, less rejected' },
  { metric: 'rejectedParts', title: 'Rejected', hint: 'scrap and nonconforming' },
]
const thresholdMetrics = ['oeeWarningThreshold', 'oeeFailureThreshold']

/** The report that this page shows: one request for the plant and for every machine. */
export function todayRequest(date) {
  return {
    startDay: date,
    endDay: date,
    data: [...figures.map(({ metric }) => metric), ...thresholdMetrics].map(metric => ({ metric })),
    groupBy: [{ group: 'machine' }],
  }
}

export function showToday(place, { aggregate }) {
  place.replaceChildren(...figures.map(figure => createFigure(figure, aggregate)))
}

function createFigure({ metric, title, hint, isRatio }, aggregate) {
  const number = aggregate[metric]
  const figure = document.createElement('div')
  append(figure, 'dt', title)
  append(figure, 'dd', isRatio ? percent(number) : count(number))
  if (isRatio) figure.append(createMeter(title, number))
  append(figure, 'dd', hint).className = 'hint'
  if (metric === 'oee') figure.dataset.level = levelOf(aggregate)
  return figure
}

/** Where OEE stands among its thresholds; nothing where there is no OEE or no threshold. */
function levelOf({ oee, oeeWarningThreshold, oeeFailureThreshold }) {
  if (typeof oee !== 'number' || typeof oeeWarningThreshold !== 'number') return 'none'
  if (oee < oeeFailureThreshold) return 'failure'
  return oee < oeeWarningThreshold ? 'warning' : 'good'
}

function createMeter(title, ratio) {
  const meter = document.createElement('meter')
  meter.value = typeof ratio === 'number' ? Math.min(1, Math.max(0, ratio)) : 0
  meter.setAttribute('aria-label', title)
  return meter
}

function append(place, tag, text) {
  const element = document.createElement(tag)
  element.textContent = text
  place.append(element)
  return element
}

export function showExample(place, date) {
  const body = { startDay: date, endDay: date, data: [{ metric: 'oee' }], groupBy: [{ group: 'machine' }] }
  place.textContent = [
    `curl ${location.origin}/reports/production \\`,
    '  -H "Authorization: Bearer $TAKT_ADMIN_KEY" -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
}

/** A ratio as percent; a dash where there is none. */
export function percent(ratio) {
  return typeof ratio === 'number' ? `${(ratio * 100).toFixed(1)} %` : '–'
}

/** A number of parts, with the separators of the reader's language. */
export function count(parts) {
  return typeof parts === 'number' ? parts.toLocaleString() : '–'
}
